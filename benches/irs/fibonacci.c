// Two threads add to each other's number, ROUNDS times each [Metzler2020, appendix C].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 6
#endif

static atomic_int a = 1, b = 1;

static void *add_to_a(void *unused) {
    for (int i = 0; i < ROUNDS; i++) a = a + b;
    return unused;
}

static void *add_to_b(void *unused) {
    for (int i = 0; i < ROUNDS; i++) b = b + a;
    return unused;
}

int main(void) {
    int greatest = 1, before = 1;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        int next = greatest + before;
        before = greatest;
        greatest = next;
    }
    pthread_t threads[2];
    pthread_create(&threads[0], 0, add_to_a, 0);
    pthread_create(&threads[1], 0, add_to_b, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a <= greatest && b <= greatest);
    return 0;
}
