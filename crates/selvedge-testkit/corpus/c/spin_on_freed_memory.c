// A thread waits for a change of memory that main frees: it waits until then, and has no rounds before.
//@ verdict: violation use-after-free
//@ traces: 1
#include <pthread.h>
#include <stdlib.h>
int *p;

void *spins(void *at) {
    while (*(volatile int *)at == 1) ;
    return 0;
}

int main(void) {
    pthread_t a;
    p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&a, 0, spins, p);
    free(p);
    pthread_join(a, 0);
    return 0;
}
