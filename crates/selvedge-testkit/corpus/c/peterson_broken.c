// Peterson's algorithm with its first two lines exchanged.
//@ verdict: violation assertion
//@ traces: 102
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int flag[2], turn;
int inside;

void *first(void *unused) {
    turn = 1;
    flag[0] = 1;
    while (flag[1] && turn == 1);
    inside++;
    assert(inside == 1);
    inside--;
    flag[0] = 0;
    return 0;
}

void *second(void *unused) {
    turn = 0;
    flag[1] = 1;
    while (flag[0] && turn == 0);
    inside++;
    assert(inside == 1);
    inside--;
    flag[1] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
