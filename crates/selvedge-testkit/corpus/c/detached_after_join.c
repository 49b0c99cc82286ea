// A thread that was joined cannot be detached any more.
//@ verdict: violation misuse
//@ traces: 1
#include <pthread.h>

void *nothing(void *unused) {
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    pthread_detach(t);
    return 0;
}
