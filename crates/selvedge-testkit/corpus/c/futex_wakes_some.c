// A call that wakes two of three threads tells how many, and any two of them go on.
//@ verdict: violation assertion
//@ traces: 61
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

atomic_int word, woken[3];

void *waiter(void *number) {
    if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0) == 0) woken[(long)number] = 1;
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, waiter, (void *)i);
    long number = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 2, 0, 0, 0);
    assert(number >= 0 && number <= 2);
    word = 1;
    long others = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 3, 0, 0, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(number != 2 || others != 1 || woken[0] == 1 && woken[1] == 1 && woken[2] == 1);
    assert(number != 2 || others != 0 || woken[1] == 1);
    return 0;
}
