// A semaphore that nobody initialised.
//@ verdict: inconclusive
//@ traces: 1
#include <semaphore.h>
#include <stdlib.h>
int main(void) {
    sem_t *semaphore = malloc(sizeof *semaphore);
    int answer = sem_trywait(semaphore);
    free(semaphore);
    return answer == 7;
}
