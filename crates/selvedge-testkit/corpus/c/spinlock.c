// A counter under a spinlock.
//@ verdict: verified
//@ traces: 3
#include <pthread.h>
#include <assert.h>
int x;
pthread_spinlock_t s;

void *first(void *unused) {
    pthread_spin_lock(&s);
    x++;
    pthread_spin_unlock(&s);
    return 0;
}

void *second(void *unused) {
    if (pthread_spin_trylock(&s) == 0) {
        x++;
        pthread_spin_unlock(&s);
    }
    return 0;
}

int main(void) {
    pthread_spin_init(&s, 0);
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 1 || x == 2);
    return 0;
}
