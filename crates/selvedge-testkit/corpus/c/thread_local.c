// Every thread has its own copy of a variable.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

_Thread_local int mine = 5;

void *f(void *unused) { mine++; return (void *)(long)mine; }

int main(void) {
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    mine = 9;
    pthread_join(a, &x);
    pthread_join(b, &y);
    assert(x == (void *)6 && y == (void *)6 && mine == 9);
    return 0;
}
