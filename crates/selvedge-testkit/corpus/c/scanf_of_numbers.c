// Numbers that are read may be any; there may be fewer than asked for.
//@ verdict: verified
//@ traces: 4
#include <stdio.h>
#include <assert.h>
#include <pthread.h>

void *worker(void *unused) {
    int x = -5;
    char c = 'c';
    int count = scanf("%d, %c", &x, &c);
    assert(count >= -1 && count <= 2);
    if (count < 1) assert(x == -5);
    if (count < 2) assert(c == 'c');
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    return 0;
}
