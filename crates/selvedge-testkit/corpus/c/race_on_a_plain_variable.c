// Two plain accesses without order.
//@ verdict: violation data-race
//@ traces: 2
//@ flags: --check races
#include <pthread.h>
#include <assert.h>
int x;

void *first(void *unused) {
    x = 1;
    return 0;
}

void *second(void *unused) {
    x = 2;
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
