// A function that is atomic by its name is not inlined.
//@ verdict: verified
//@ traces: 2
//@ cflags: -O2
#include <assert.h>
#include <pthread.h>

int x;

static void __VERIFIER_atomic_add_two(void) {
    assert(x % 2 == 0);
    x++;
    x++;
}

void *adds(void *unused) {
    __VERIFIER_atomic_add_two();
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, adds, 0);
    __VERIFIER_atomic_add_two();
    pthread_join(a, 0);
    return 0;
}
