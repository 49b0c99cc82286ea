// Asking a semaphore until there is one, and a spinlock until it is free.
//@ verdict: verified
//@ traces: 6
//@ flags: --check races
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t posted;
pthread_spinlock_t lock;
int data;

void *setter(void *unused) {
    pthread_spin_lock(&lock);
    sem_post(&posted);
    data = 1;
    pthread_spin_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&posted, 0, 0);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, 0, setter, 0);
    while (sem_trywait(&posted));
    while (pthread_spin_trylock(&lock));
    assert(data == 1);
    pthread_spin_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
