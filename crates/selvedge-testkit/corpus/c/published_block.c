// A block becomes visible when its address is published.
//@ verdict: verified
//@ traces: 3
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int *volatile shared;

void *first(void *unused) {
    int *p = malloc(4);
    *p = 7;
    shared = p;
    *p = 8;
    return 0;
}

void *second(void *unused) {
    int *q = shared;
    if (q) assert(*q == 7 || *q == 8);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
