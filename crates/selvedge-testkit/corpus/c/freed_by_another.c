// A thread compares an address that another one frees with that of a new block of its own: whether they are the same depends on
// which of the two comes first, though nothing else orders them.
//@ verdict: violation assertion
//@ traces: 3
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int *p;

void *first(void *unused) {
    int *old = p;
    int *new = malloc(sizeof *new);
    assert(old != new);
    return 0;
}

void *second(void *unused) {
    free(p);
    return 0;
}

int main(void) {
    p = malloc(sizeof *p);
    pthread_t t[2];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
