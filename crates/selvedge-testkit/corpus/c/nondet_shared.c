// An input that two threads look at: what one decides holds for the other.
//@ verdict: verified
//@ traces: 6
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int n, a, b;

void *first(void *unused) {
    a = n > 5;
    return 0;
}

void *second(void *unused) {
    b = n > 7;
    return 0;
}

int main(void) {
    pthread_t s, t;
    n = __VERIFIER_nondet_int();
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(!b || a);
    return 0;
}
