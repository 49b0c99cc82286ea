// Dining philosophers, each of whom takes the left fork first.
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { N = 3 };
static pthread_mutex_t forks[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *argument) {
    int self = (int)(intptr_t)argument;
    pthread_mutex_lock(&forks[self]);
    usleep(500);
    pthread_mutex_lock(&forks[(self + 1) % N]);
    pthread_mutex_unlock(&forks[(self + 1) % N]);
    pthread_mutex_unlock(&forks[self]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, dine, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
