// A thread is detached by its maker and by itself.
//@ verdict: violation misuse
//@ traces: 2
#include <pthread.h>

void *lets_go(void *unused) {
    pthread_detach(pthread_self());
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, lets_go, 0);
    pthread_detach(t);
    pthread_exit(0);
}
