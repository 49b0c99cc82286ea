// What is read from the keyboard may be anything, and races.
//@ verdict: violation data-race
//@ traces: 4
//@ flags: --check races
#include <stdio.h>
#include <pthread.h>
int x;

void *worker(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    scanf("%d", &x);
    pthread_join(a, 0);
    return 0;
}
