// Who waits at a private futex is not woken by a call without that flag.
//@ verdict: violation deadlock
//@ traces: 2
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

atomic_int ready;

void *writer(void *unused) {
    ready = 1;
    syscall(SYS_futex, &ready, FUTEX_WAKE, 1, 0, 0, 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    pthread_join(t, 0);
    return 0;
}
