// The same if freed memory never comes back.
//@ verdict: verified
//@ traces: 0
//@ flags: --no-reuse
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <stdatomic.h>
int *_Atomic top;
void *first(void *u) {
    int *old = top;
    int *expected = old;
    if (old && atomic_compare_exchange_strong(&top, &expected, 0)) {
        int *now = old;
        assert(*now == 1);
    }
    return 0;
}
void *second(void *u) {
    int *a = atomic_exchange(&top, 0);
    if (a) {
        free(a);
        int *b = malloc(sizeof *b);
        *b = 2;
        top = b;
    }
    return 0;
}
int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    top = p;
    pthread_t t[2];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
