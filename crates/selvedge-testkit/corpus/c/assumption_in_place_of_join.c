// main assumes that both threads have counted, instead of joining them: it waits for that, and only one order of its read remains. As it is written, without
// waiting, there are more executions, most of which end at the false assumption.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_assume(int);
int count, x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *unused) {
    x = 1;
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *unused) {
    y = 1;
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    __VERIFIER_assume(count == 2);
    assert(x == 1 && y == 1);
    return 0;
}
