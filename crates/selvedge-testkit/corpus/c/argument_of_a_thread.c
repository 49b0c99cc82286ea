// Each thread gets a block of its own.
//@ verdict: verified
//@ traces: 6
#include <pthread.h>
#include <assert.h>

int sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *add(void *argument) {
    int n = *(int *)argument;
    pthread_mutex_lock(&m);
    sum += n;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t[3];
    int n[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, add, &n[i]);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(sum == 6);
    return 0;
}
