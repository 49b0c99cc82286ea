// A wait at a futex with a time limit is not supported: the execution is cut there.
//@ verdict: inconclusive
//@ traces: 0
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int word;

int main(void) {
    struct timespec limit = {1, 0};
    syscall(SYS_futex, &word, 0, 0, &limit, NULL, 0);
    return 0;
}
