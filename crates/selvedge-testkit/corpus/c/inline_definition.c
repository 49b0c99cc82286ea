// A definition that is only inline is used, though no other file has one for the linker.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

inline void add(int amount) {
    pthread_mutex_lock(&m);
    x += amount;
    pthread_mutex_unlock(&m);
}

void *first(void *unused) {
    add(1);
    return 0;
}

void *second(void *unused) {
    add(2);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 3);
    return 0;
}
