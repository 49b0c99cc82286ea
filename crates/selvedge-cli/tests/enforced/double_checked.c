// Double-checked initialisation that publishes too early.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { atomic_int value; } object;
static _Atomic(void *) instance;

static void *use(void *unused) {
    if (!instance) {
        pthread_mutex_lock(&mutex);
        if (!instance) {
            instance = &object;
            usleep(500);
            object.value = 42;
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(object.value == 42);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], 0, use, 0);
        usleep(200);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
