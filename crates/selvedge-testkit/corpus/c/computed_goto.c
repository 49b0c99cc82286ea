//@ verdict: verified
//@ traces: 2
// An interpreter that jumps to labels by their addresses, run by two threads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void run(const unsigned char *program) {
    static const void *const labels[] = {&&increment, &&twice, &&add, &&stop};
    int value = 0;
    goto *labels[*program++];
increment:
    value++;
    goto *labels[*program++];
twice:
    value *= 2;
    goto *labels[*program++];
add:
    sum += value;
    goto *labels[*program++];
stop:
    return;
}

static void *first(void *unused) {
    static const unsigned char program[] = {0, 1, 0, 2, 3};
    run(program);
    return unused;
}

static void *second(void *unused) {
    static const unsigned char program[] = {0, 0, 2, 3};
    run(program);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 5);
    return 0;
}
