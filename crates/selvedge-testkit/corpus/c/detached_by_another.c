// A thread that is detached once, by somebody who did not make it.
//@ verdict: verified
//@ traces: 2
#include <assert.h>
#include <pthread.h>

pthread_t worker;
int x;

void *work(void *unused) {
    x = 1;
    return 0;
}

void *lets_go(void *unused) {
    pthread_detach(worker);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&other, 0, lets_go, 0);
    pthread_join(other, 0);
    assert(x == 0 || x == 1);
    pthread_exit(0);
}
