// The program ends while a thread may hold a block: whether that is lost depends on when.
//@ verdict: inconclusive
//@ traces: 0
//@ flags: --check leaks
#include <stdlib.h>
#include <pthread.h>

void *first(void *unused) {
    free(malloc(8));
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, first, 0);
    return 0;
}
