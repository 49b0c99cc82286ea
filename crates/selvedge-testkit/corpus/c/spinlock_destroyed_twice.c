// A spinlock is destroyed twice.
//@ verdict: violation misuse
//@ traces: 1
#include <pthread.h>

int main(void) {
    pthread_spinlock_t l;
    pthread_spin_init(&l, 0);
    pthread_spin_lock(&l);
    pthread_spin_unlock(&l);
    pthread_spin_destroy(&l);
    pthread_spin_destroy(&l);
    return 0;
}
