// What `rand` returns is never negative.
//@ verdict: verified
//@ traces: 18
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int counts[3];

void *roll(void *unused) {
    counts[rand() % 3]++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    assert(rand() >= 0);
    pthread_create(&a, 0, roll, 0);
    pthread_create(&b, 0, roll, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counts[0] + counts[1] + counts[2] >= 1);
    return 0;
}
