// The handle of a thread is an address on many machines: neither order of two is certain.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
#include <pthread.h>

void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, nothing, 0);
    pthread_create(&b, 0, nothing, 0);
    int is_less = (unsigned long)a < (unsigned long)b;
    assert(!pthread_equal(a, b) && pthread_equal(pthread_self(), pthread_self()));
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(is_less);
    return 0;
}
