// The twin of indexer.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 12
#endif
#define SIZE 128
atomic_int table[SIZE];

void *p(void *argument) {
    int self = (int)(long)argument;
    for (int m = 1; m < 5; m++) {
        int w = m * 11 + self;
        int h = (w * 7) % SIZE;
        int expected = 0;
        while (!atomic_compare_exchange_strong(&table[h], &expected, w)) {
            h = (h + 1) % SIZE;
            expected = 0;
        }
    }
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    for (long i = 0; i < N; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
