// A loop that waits with a loop inside that counts: a round looks at several variables.
//@ verdict: verified
//@ traces: 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int here[2];
int x[2];

void *arrive(void *argument) {
    int own = (int)(long)argument;
    x[own] = 1;
    here[own] = 1;
    for (;;) {
        int count = 0;
        for (int i = 0; i < 2; i++) count += here[i];
        if (count == 2) break;
    }
    assert(x[0] + x[1] == 2);
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, arrive, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
