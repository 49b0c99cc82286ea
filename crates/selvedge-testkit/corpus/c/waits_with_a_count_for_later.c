// A loop that waits and counts how often, for later: there is no end to the executions, and that is said soon.
//@ verdict: inconclusive
//@ traces: 33
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int flag;
int data;

void *waits(void *unused) {
    int rounds = 0;
    while (!flag) rounds++;
    assert(data == 1);
    printf("%d rounds\n", rounds);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, waits, 0);
    data = 1;
    flag = 1;
    pthread_join(a, 0);
    return 0;
}
