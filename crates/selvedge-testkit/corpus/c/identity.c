// pthread_self and pthread_equal.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

pthread_t self;

void *f(void *unused) { self = pthread_self(); return 0; }

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    assert(pthread_equal(t, self) && !pthread_equal(t, pthread_self()));
    return 0;
}
