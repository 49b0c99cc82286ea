// A wait at a futex with a time limit may end before the value is there.
//@ verdict: violation assertion
//@ traces: 4
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

atomic_int ready;

void *writer(void *unused) {
    ready = 1;
    syscall(SYS_futex, &ready, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    return 0;
}

int main(void) {
    struct timespec limit = {0, 1000000};
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, &limit, 0, 0);
    assert(ready == 1);
    pthread_join(t, 0);
    return 0;
}
