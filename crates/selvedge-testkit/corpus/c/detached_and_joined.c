// One thread detaches a thread that another one waits for.
//@ verdict: violation misuse
//@ traces: 2
#include <pthread.h>

pthread_t worker;
int x;

void *work(void *unused) {
    x = 1;
    return 0;
}

void *lets_go(void *unused) {
    x = 2;
    pthread_detach(worker);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&other, 0, lets_go, 0);
    pthread_join(worker, 0);
    pthread_join(other, 0);
    return 0;
}
