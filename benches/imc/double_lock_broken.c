// Two threads that take two mutexes in different orders [Metzler2020, figure 4.10]: a deadlock.
#include <assert.h>
#include <pthread.h>

int inside;
pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;

void *t1(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m1);
        pthread_mutex_lock(&m2);
        inside++;
        assert(inside == 1);
        inside--;
        pthread_mutex_unlock(&m2);
        pthread_mutex_unlock(&m1);
    }
}

void *t2(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m2);
        pthread_mutex_lock(&m1);
        inside++;
        assert(inside == 1);
        inside--;
        pthread_mutex_unlock(&m2);
        pthread_mutex_unlock(&m1);
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
