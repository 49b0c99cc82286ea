// Two threads wait for the end of the same thread; whoever comes second does wrong.
//@ verdict: violation misuse
//@ traces: 2
#include <pthread.h>

pthread_t worker;
int x;

void *work(void *unused) {
    x = 1;
    return 0;
}

void *waits_too(void *unused) {
    pthread_join(worker, 0);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&other, 0, waits_too, 0);
    pthread_join(worker, 0);
    x = 2;
    pthread_join(other, 0);
    return 0;
}
