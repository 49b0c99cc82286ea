// Producers and consumers that do not look whether the buffer has room or an item [Metzler2020, figure 4.2]: unsafe under
// some schedules, safe when producing and consuming take turns.
#include <assert.h>
#include <pthread.h>
#define N 5

int buffer[N];
int count;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *producer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m);
        assert(count < N);
        buffer[count] = 1;
        count++;
        pthread_mutex_unlock(&m);
    }
}

void *consumer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m);
        assert(count > 0);
        count--;
        buffer[count] = 0;
        pthread_mutex_unlock(&m);
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
