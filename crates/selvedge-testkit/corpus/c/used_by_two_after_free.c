// Two threads write to a block that a third frees: those that come after it only find that it is gone, in whatever order.
//@ verdict: violation use-after-free
//@ traces: 5
#include <pthread.h>
#include <stdlib.h>
int *volatile p;

void *writes(void *unused) {
    *p = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    p = malloc(sizeof *p);
    pthread_create(&a, 0, writes, 0);
    pthread_create(&b, 0, writes, 0);
    free(p);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
