// The threads count in atomic sections, and main assumes what it has computed in one: it waits there for both, so that only the two orders of counting remain.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int count, x, y;

void *first(void *unused) {
    x = 1;
    __VERIFIER_atomic_begin();
    count++;
    __VERIFIER_atomic_end();
    return 0;
}

void *second(void *unused) {
    y = 1;
    __VERIFIER_atomic_begin();
    count++;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    __VERIFIER_atomic_begin();
    _Bool done = count == 2;
    __VERIFIER_atomic_end();
    __VERIFIER_assume(done);
    assert(x == 1 && y == 1);
    return 0;
}
