// One thread frees what another uses.
//@ verdict: violation use-after-free
//@ traces: 2
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int *p;

void *first(void *unused) {
    *p = 1;
    return 0;
}

void *second(void *unused) {
    free(p);
    return 0;
}

int main(void) {
    p = malloc(4);
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
