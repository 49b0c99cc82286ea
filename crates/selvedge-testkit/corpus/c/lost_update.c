// Two increments of one variable, each a read and a write.
//@ verdict: violation assertion
//@ traces: 4
#include <pthread.h>
#include <assert.h>
int x;

void *first(void *unused) {
    x++;
    return 0;
}

void *second(void *unused) {
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
