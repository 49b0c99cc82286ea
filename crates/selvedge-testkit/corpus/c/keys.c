// Every thread has its own value of a key, and a destructor is called with it.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

int freed;
pthread_key_t key;

void destroy(void *value) { freed += (int)(long)value; }

void *f(void *value) {
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, value);
    assert(pthread_getspecific(key) == value);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, destroy);
    pthread_create(&a, 0, f, (void *)1);
    pthread_join(a, 0);
    pthread_create(&b, 0, f, (void *)2);
    pthread_join(b, 0);
    assert(freed == 3);
    return 0;
}
