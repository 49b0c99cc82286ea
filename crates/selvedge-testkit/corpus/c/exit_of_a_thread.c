// pthread_exit from a function within.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

int x;

static void leave(int n) { if (n == 1) pthread_exit((void *)5); }

void *f(void *unused) { leave(1); x = 1; return 0; }

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, &result);
    assert(result == (void *)5 && x == 0);
    return 0;
}
