// A thread makes a thread.
//@ verdict: verified
//@ traces: 6
#include <pthread.h>
#include <assert.h>

int x;

void *inner(void *unused) { x = 2; return 0; }

void *outer(void *unused) {
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
    int seen = x;
    assert(seen == 0 || seen == 1 || seen == 2);
    pthread_join(t, 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, outer, 0);
    x = 1;
    pthread_join(t, 0);
    return 0;
}
