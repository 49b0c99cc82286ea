// A thread asks again and again, each time with a mutex that it takes and gives back.
//@ verdict: verified
//@ traces: 2
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ready, data;

static int is_ready(void) {
    pthread_mutex_lock(&mutex);
    int seen = ready;
    pthread_mutex_unlock(&mutex);
    return seen;
}

void *setter(void *unused) {
    data = 3;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, setter, 0);
    while (!is_ready());
    assert(data == 3);
    pthread_join(t, 0);
    return 0;
}
