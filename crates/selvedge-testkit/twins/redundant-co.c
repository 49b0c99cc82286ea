// The twin of redundant-co.sel: the same accesses, one for each statement there.
#include <pthread.h>

#ifndef N
#define N 1
#endif
volatile int x;

void *one(void *unused) {
    for (int i = 0; i < 4 * N; i++) x = 1;
    return 0;
}

void *two(void *unused) {
    for (int i = 0; i < 4 * N; i++) x = 1;
    return 0;
}

void *reader(void *unused) {
    int a = x;
    int b = x;
    (void)a;
    (void)b;
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_create(&t[2], 0, reader, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
