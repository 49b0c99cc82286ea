// A loop that waits, entered a second time: what was seen in rounds of before says nothing about the new ones.
//@ verdict: verified
//@ traces: 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready, go;
int x;

static int both(void) { return ready && go; }

static void wait_for_both(void) {
    while (!both());
}

void *first(void *unused) {
    wait_for_both();
    wait_for_both();
    x = 1;
    return 0;
}

void *second(void *unused) {
    ready = 1;
    go = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 1);
    return 0;
}
