// Whoever gets freed memory comes after the `free`, so that is no data race.
//@ verdict: verified
//@ traces: 6
//@ flags: --check races
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *_Atomic old;
atomic_int same;

void *first(void *unused) {
    int *a = malloc(sizeof *a);
    *a = 1;
    old = a;
    free(a);
    return 0;
}

void *second(void *unused) {
    int *b = malloc(sizeof *b);
    *b = 2;
    same = b == old;
    free(b);
    return 0;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
