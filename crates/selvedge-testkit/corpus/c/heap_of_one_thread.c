// A block that only one thread knows is invisible.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int x;

void *first(void *unused) {
    int *p = malloc(8);
    p[0] = 1;
    p[1] = 2;
    x = p[0] + p[1];
    free(p);
    return 0;
}

void *second(void *unused) {
    int y = x;
    assert(y == 0 || y == 3);
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
