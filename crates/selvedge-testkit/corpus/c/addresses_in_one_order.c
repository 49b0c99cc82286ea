// Two threads compare the same objects: whatever the order is, it is one order.
//@ verdict: verified
//@ traces: 8
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

int *a, *b, *c;
int seen;

void *compare(void *unused) {
    seen = a < b && (uintptr_t)b < (uintptr_t)c;
    return 0;
}

int main(void) {
    a = malloc(4);
    b = malloc(4);
    c = malloc(4);
    pthread_t thread;
    pthread_create(&thread, 0, compare, 0);
    int is_less = a < b;
    pthread_join(thread, 0);
    if (seen) {
        assert(is_less && a < c);
    }
    assert(a < b || b < a);
    return 0;
}
