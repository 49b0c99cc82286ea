// Without the counts of both threads main ends the program: it waits for them, and the execution is complete.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
int count, x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void require(int condition) { if (!condition) exit(0); }

void *first(void *unused) {
    x = 1;
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *unused) {
    y = 1;
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    require(count == 2);
    assert(x == 1 && y == 1);
    return 0;
}
