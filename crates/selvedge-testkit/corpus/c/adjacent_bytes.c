// Neighbouring bytes are different locations.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
char array[8];

void *first(void *unused) {
    array[3] = 1;
    return 0;
}

void *second(void *unused) {
    array[4] = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(array[3] + array[4] == 2);
    return 0;
}
