// A loop without effect that looks at nothing is cut at once.
//@ verdict: inconclusive
//@ traces: 0
#include <pthread.h>
#include <unistd.h>

void *sleeper(void *unused) {
    for (;;) sleep(1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sleeper, 0);
    pthread_join(thread, 0);
    return 0;
}
