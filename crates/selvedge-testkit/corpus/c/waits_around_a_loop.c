// A thread tries again and again to take from a stack, and each try has a loop of its own.
//@ verdict: verified
//@ traces: 154
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int height;

static bool take(int *value) {
    int top = height;
    while (top > 0) {
        if (atomic_compare_exchange_strong(&height, &top, top - 1)) {
            *value = top;
            return true;
        }
    }
    return false;
}

void *taker(void *unused) {
    int value = 0;
    while (!take(&value));
    assert(value == 1 || value == 2);
    return 0;
}

void *putter(void *unused) {
    height = 1;
    atomic_fetch_add(&height, 1);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, taker, 0);
    pthread_create(&c, 0, putter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(height == 0);
    return 0;
}
