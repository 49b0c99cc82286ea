// N threads insert four messages each into a table by compare-and-swap [FlanaganGodefroid2005].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 15
#endif

enum { SIZE = 128, MESSAGES = 4 };

static atomic_int table[SIZE];

static void *insert(void *argument) {
    int self = (int)(intptr_t)argument;
    for (int m = 1; m <= MESSAGES; m++) {
        int message = m * 11 + self, at = (message * 7) % SIZE, empty = 0;
        while (!atomic_compare_exchange_strong(&table[at], &empty, message)) {
            empty = 0;
            at = (at + 1) % SIZE;
        }
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, insert, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    int full = 0;
    for (int i = 0; i < SIZE; i++) full += table[i] != 0;
    assert(full == N * MESSAGES);
    return 0;
}
