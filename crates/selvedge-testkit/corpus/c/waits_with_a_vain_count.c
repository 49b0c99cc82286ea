// Loops that wait and count how often, for nobody: the count does not matter, so they only wait.
//@ verdict: verified
//@ traces: 8
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int ready;
int x;

void *try(void *unused) {
    int tries = 0;
    while (pthread_mutex_trylock(&mutex) != 0) tries++;
    x++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *wait(void *unused) {
    int i;
    for (i = 0; !ready; i++) sched_yield();
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, try, 0);
    pthread_create(&b, 0, try, 0);
    pthread_create(&c, 0, wait, 0);
    ready = 1;
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(x == 2);
    return 0;
}
