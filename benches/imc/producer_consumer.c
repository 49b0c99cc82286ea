// Producers and consumers with a buffer of N items [Metzler2020, figure 4.9]. P producers, C consumers.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 5
#endif
#ifndef P
#define P 1
#endif
#ifndef C
#define C 1
#endif

int buffer[N];
int count;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *producer(void *self) {
    for (;;) {
        pthread_mutex_lock(&m);
        if (count != N) {
            assert(count < N);
            buffer[count] = (int)(long)self;
            count++;
        }
        pthread_mutex_unlock(&m);
    }
}

void *consumer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m);
        if (count > 0) {
            assert(count > 0);
            count--;
            int item = buffer[count];
            (void)item;
        }
        pthread_mutex_unlock(&m);
    }
}

int main(void) {
    pthread_t producers[P], consumers[C];
    for (long i = 0; i < P; i++) pthread_create(&producers[i], 0, producer, (void *)i);
    for (long i = 0; i < C; i++) pthread_create(&consumers[i], 0, consumer, 0);
    for (int i = 0; i < P; i++) pthread_join(producers[i], 0);
    for (int i = 0; i < C; i++) pthread_join(consumers[i], 0);
    return 0;
}
