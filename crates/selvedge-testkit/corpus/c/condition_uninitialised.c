// A condition variable in allocated memory that was never initialised.
//@ verdict: inconclusive
//@ traces: 1
#include <pthread.h>
#include <stdlib.h>

int main(void) {
    pthread_cond_t *c = malloc(sizeof *c);
    pthread_cond_signal(c);
    free(c);
    return 0;
}
