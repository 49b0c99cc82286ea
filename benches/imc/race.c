// Producers and consumers that look before they lock [Metzler2020, figure 4.12]: unsafe when two of a kind look at once.
#include <assert.h>
#include <pthread.h>
#define N 5

int buffer[N];
int count;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *producer(void *unused) {
    for (;;) {
        if (count < N) {
            pthread_mutex_lock(&m);
            assert(count < N);
            buffer[count] = 1;
            count++;
            pthread_mutex_unlock(&m);
        }
    }
}

void *consumer(void *unused) {
    for (;;) {
        if (count > 0) {
            pthread_mutex_lock(&m);
            assert(count > 0);
            count--;
            buffer[count] = 0;
            pthread_mutex_unlock(&m);
        }
    }
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i < 2 ? producer : consumer, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    return 0;
}
