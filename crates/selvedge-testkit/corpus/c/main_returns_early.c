// The end of main ends the program: no deadlock.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *f(void *unused) { pthread_mutex_lock(&m); return 0; }

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, f, 0);
    return 0;
}
