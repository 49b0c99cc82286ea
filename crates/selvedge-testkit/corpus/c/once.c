// An initialiser runs once, and all wait for it.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>
int runs;
pthread_once_t once = PTHREAD_ONCE_INIT;
void initialise(void) { runs++; }

void *first(void *unused) {
    pthread_once(&once, initialise);
    assert(runs == 1);
    return 0;
}

void *second(void *unused) {
    pthread_once(&once, initialise);
    assert(runs == 1);
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
