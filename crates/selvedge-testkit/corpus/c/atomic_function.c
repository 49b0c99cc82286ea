// So is a function with such a name.
//@ verdict: verified
//@ traces: 2
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
#include <pthread.h>
#include <assert.h>
int l, x;
void __VERIFIER_atomic_take(void) {
    __VERIFIER_assume(l == 0);
    l = 1;
}

void *first(void *unused) {
    __VERIFIER_atomic_take();
    x++;
    l = 0;
    return 0;
}

void *second(void *unused) {
    __VERIFIER_atomic_take();
    x++;
    l = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
