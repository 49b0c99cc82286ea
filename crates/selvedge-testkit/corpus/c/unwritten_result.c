// A thread that returns a value that nobody wrote.
//@ verdict: violation uninitialised-use
//@ traces: 1
#include <assert.h>
#include <pthread.h>

void *f(void *unused) {
    int nothing;
    return (void *)(long)nothing;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, &result);
    if (result) assert(0);
    return 0;
}
