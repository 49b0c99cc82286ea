// Dekker's algorithm, one round of two threads [Metzler2020, appendix C].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int inside;

static void *enter(void *argument) {
    int self = (int)(intptr_t)argument, other = 1 - self;
    wants[self] = 1;
    while (wants[other]) {
        if (turn != self) {
            wants[self] = 0;
            while (turn != self);
            wants[self] = 1;
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    turn = other;
    wants[self] = 0;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, enter, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
