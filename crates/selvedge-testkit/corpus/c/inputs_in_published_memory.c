// Inputs become known to others with the memory that holds them.
//@ verdict: verified
//@ traces: 6
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int *numbers;

void *reader(void *unused) {
    if (numbers[0] >= 10) assert(numbers[0] != 9);
    return 0;
}

int main(void) {
    pthread_t a;
    int *filled = malloc(sizeof(int));
    filled[0] = __VERIFIER_nondet_int();
    numbers = filled;
    pthread_create(&a, 0, reader, 0);
    if (numbers[0] == 3) assert(numbers[0] < 10);
    pthread_join(a, 0);
    return 0;
}
