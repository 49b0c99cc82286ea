// Fields of a structure are different locations.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
struct { int a; long b; } s;

void *first(void *unused) {
    s.a = 1;
    return 0;
}

void *second(void *unused) {
    s.b = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(s.a + s.b == 2);
    return 0;
}
