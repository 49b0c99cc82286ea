// A loop that waits and says so: what is written does not make a difference.
//@ verdict: verified
//@ traces: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

atomic_int flag;
int data;

void *waits(void *unused) {
    while (!flag) {
        printf("waiting\n");
        usleep(100);
    }
    assert(data == 1);
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
