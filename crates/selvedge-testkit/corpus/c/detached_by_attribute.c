// A thread that is made detached must not be joined.
//@ verdict: violation misuse
//@ traces: 1
#include <pthread.h>
void *f(void *unused) { return 0; }
int main(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t t;
    pthread_create(&t, &attributes, f, 0);
    pthread_join(t, 0);
    return 0;
}
