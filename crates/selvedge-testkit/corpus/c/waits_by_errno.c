// A round that fails sets errno: the first one is not like those after it.
//@ verdict: violation assertion
//@ traces: 6
//@ flags: --unroll 5
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

sem_t permits;

void *takes(void *unused) {
    errno = 0;
    int before = 0;
    while (sem_trywait(&permits))
        before = before || errno == EAGAIN;
    assert(errno == 0);
    return 0;
}

int main(void) {
    pthread_t a;
    sem_init(&permits, 0, 0);
    pthread_create(&a, 0, takes, 0);
    sem_post(&permits);
    pthread_join(a, 0);
    return 0;
}
