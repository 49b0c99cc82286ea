// The same if freed memory never comes back.
//@ verdict: verified
//@ traces: 7
//@ flags: --no-reuse
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <stdatomic.h>
int *_Atomic top;
atomic_int replaced;

void *first(void *unused) {
    int *old = top;
    if (!replaced && old && atomic_compare_exchange_strong(&top, &old, 0)) assert(!replaced);
    return 0;
}

void *second(void *unused) {
    int *a = atomic_exchange(&top, 0);
    if (a) {
        replaced = 1;
        free(a);
        top = malloc(sizeof *a);
    }
    return 0;
}

int main(void) {
    top = malloc(sizeof *top);
    pthread_t t[2];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
