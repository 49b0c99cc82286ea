// Three threads free one block: the first succeeds, the others only find that it is gone, in whatever order.
//@ verdict: violation double-free
//@ traces: 3
#include <pthread.h>
#include <stdlib.h>
int *p;

void *frees(void *unused) {
    free(p);
    return 0;
}

int main(void) {
    pthread_t a, b;
    p = malloc(sizeof *p);
    pthread_create(&a, 0, frees, 0);
    pthread_create(&b, 0, frees, 0);
    free(p);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
