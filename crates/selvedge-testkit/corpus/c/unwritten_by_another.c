// Whether a block was written before it is read depends on the schedule.
//@ verdict: inconclusive
//@ traces: 2
#include <pthread.h>
#include <stdlib.h>
int *block;

void *writer(void *unused) {
    *block = 0;
    return 0;
}

int main(void) {
    block = malloc(sizeof *block);
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int is_positive = *block > 0;
    pthread_join(t, 0);
    return is_positive ? 1 : 0;
}
