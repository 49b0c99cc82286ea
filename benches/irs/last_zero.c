// N - 1 threads each write one more than the element before theirs, one looks for the last zero [AbdullaAJS2017].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 16
#endif

static atomic_int elements[N];

static void *look(void *unused) {
    int i = N - 1;
    while (elements[i] != 0) i--;
    assert(i >= 0);
    return unused;
}

static void *add(void *argument) {
    int self = (int)(intptr_t)argument;
    elements[self] = elements[self - 1] + 1;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_create(&threads[0], 0, look, 0);
    for (intptr_t i = 1; i < N; i++) pthread_create(&threads[i], 0, add, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
