// cnd_t and tss_t.
//@ verdict: verified
//@ traces: 2
#include <threads.h>
#include <assert.h>

int ready;
mtx_t m;
cnd_t c;
tss_t key;

int wait_for(void *unused) {
    tss_set(key, &ready);
    mtx_lock(&m);
    while (!ready) cnd_wait(&c, &m);
    mtx_unlock(&m);
    assert(tss_get(key) == &ready);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    tss_create(&key, 0);
    thrd_create(&t, wait_for, 0);
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    thrd_join(t, 0);
    return 0;
}
