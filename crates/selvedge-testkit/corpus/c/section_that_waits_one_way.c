// One of two ways through a section needs a mutex that another thread may hold: it comes before or after that thread. The
// other way, always open, has looked at the mutex, too: it comes before, in between or after.
//@ verdict: verified
//@ traces: 5
#include <pthread.h>
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *unused) {
    __VERIFIER_atomic_begin();
    if (__VERIFIER_nondet_bool()) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    __VERIFIER_atomic_end();
    return 0;
}

void *second(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
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
