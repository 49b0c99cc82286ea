// The variables of a thread end with it, those of main, too.
//@ verdict: violation use-after-free
//@ traces: 2
#include <pthread.h>

void *writes(void *to) {
    *(int *)to = 1;
    return 0;
}

int main(void) {
    int x = 0;
    pthread_t a;
    pthread_create(&a, 0, writes, &x);
    pthread_exit(0);
}
