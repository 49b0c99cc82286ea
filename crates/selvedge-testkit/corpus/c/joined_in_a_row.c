// A thread waits for two others at once, and somebody else for the first of them.
//@ verdict: violation misuse
//@ traces: 12
#include <pthread.h>

pthread_t first, second;
int x;

void *writes(void *unused) {
    x = 1;
    return 0;
}

void *waits_too(void *unused) {
    x = 2;
    pthread_join(first, 0);
    return 0;
}

int main(void) {
    pthread_t third;
    pthread_create(&first, 0, writes, 0);
    pthread_create(&third, 0, waits_too, 0);
    pthread_create(&second, 0, writes, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_join(third, 0);
    return 0;
}
