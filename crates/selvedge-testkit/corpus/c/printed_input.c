// An input that is only printed is not decided; one whose text is counted is.
//@ verdict: verified
//@ traces: 4
#include <stdio.h>
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);

void *worker(void *unused) {
    int x = __VERIFIER_nondet_int();
    printf("%d and %08x\n", x, x);
    if (x >= 9 && x <= 10) {
        int length = printf("%d", x);
        assert(length == (x == 9 ? 1 : 2));
    }
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    return 0;
}
