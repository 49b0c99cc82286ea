// The end of the program is no failure.
//@ verdict: verified
//@ traces: 2
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int x;

void *first(void *unused) {
    if (x) exit(3);
    return 0;
}

void *second(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
