// Lamport's fast mutual exclusion, one round of two threads [Metzler2020, appendix C].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int first, second, announced[2];
static int inside;

static void *enter(void *argument) {
    int self = (int)(intptr_t)argument, name = self + 1, other = 1 - self;
    for (;;) {
        announced[self] = 1;
        first = name;
        if (second != 0) {
            announced[self] = 0;
            while (second != 0);
            continue;
        }
        second = name;
        if (first == name) break;
        announced[self] = 0;
        while (announced[other]);
        if (second == name) break;
        while (second != 0);
    }
    inside++;
    assert(inside == 1);
    inside--;
    second = 0;
    announced[self] = 0;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, enter, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
