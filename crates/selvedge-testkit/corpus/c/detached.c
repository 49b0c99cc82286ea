// Nobody waits for a detached thread.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>

int x;

void *f(void *unused) { x = 1; return 0; }

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_detach(t);
    int y = x;
    assert(y == 0 || y == 1);
    return 0;
}
