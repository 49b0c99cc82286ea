// A byte of a word conflicts with the word.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>
#include <assert.h>
union { int word; char bytes[4]; } u;

void *first(void *unused) {
    u.word = -1;
    return 0;
}

void *second(void *unused) {
    u.bytes[2] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(u.word == -1 || u.word == (int)0xff00ffff);
    return 0;
}
