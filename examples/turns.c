// Two threads that run forever and use a variable in turns.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

unsigned count;
bool full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void turn(bool mine, int by) {
    pthread_mutex_lock(&m);
    while (full == mine) pthread_cond_wait(&changed, &m);
    count += by;
    assert(count <= 1);
    full = mine;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
}

void *fill(void *unused) {
    for (;;) turn(true, 1);
}

void *empty(void *unused) {
    for (;;) turn(false, -1);
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, fill, 0);
    pthread_create(&b, 0, empty, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
