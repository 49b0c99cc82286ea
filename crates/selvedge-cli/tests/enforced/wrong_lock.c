// Two threads count under different mutexes.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int count;

static void *work(void *mutex) {
    pthread_mutex_lock(mutex);
    int seen = count;
    usleep(500);
    count = seen + 1;
    pthread_mutex_unlock(mutex);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &mutexes[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(count == 2);
    return 0;
}
