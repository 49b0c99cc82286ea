// Each of two threads counts through its own pointer, then redirects the other's [Metzler2020, appendix C].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 3
#endif

static atomic_int numbers[2];
static _Atomic(atomic_int *) pointers[2] = {&numbers[0], &numbers[1]};

static void *count(void *argument) {
    int self = (int)(intptr_t)argument;
    for (int i = 0; i < ROUNDS; i++) atomic_fetch_add(pointers[self], 1);
    pointers[1 - self] = &numbers[self];
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, count, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(numbers[0] + numbers[1] == 2 * ROUNDS);
    return 0;
}
