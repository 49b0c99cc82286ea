// The thread that waits for an assumption which never holds does not hide what another thread does wrong, and its wait is no deadlock.
//@ verdict: violation assertion
//@ traces: 1
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_assume(int);
int x;

void *first(void *unused) {
    x = 1;
    assert(x != 1);
    return 0;
}

void *second(void *unused) {
    __VERIFIER_assume(x == 7);
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
