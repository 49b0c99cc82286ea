// What a thread does with its own variables is no operation of the search.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>
int x;

void *first(void *unused) {
    int sum = 0, a[4];
    for (int i = 0; i < 4; i++) a[i] = i;
    for (int i = 0; i < 4; i++) sum += a[i];
    x = sum;
    return 0;
}

void *second(void *unused) {
    int y = x;
    assert(y == 0 || y == 6);
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
