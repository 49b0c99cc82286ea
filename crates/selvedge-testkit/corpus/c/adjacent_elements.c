// Neighbours in an array are different locations.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
int array[4];

void *first(void *unused) {
    array[1] = 1;
    return 0;
}

void *second(void *unused) {
    array[2] = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(array[1] + array[2] == 2);
    return 0;
}
