// threads.h.
//@ verdict: verified
//@ traces: 4
#include <threads.h>
#include <assert.h>

int x;
mtx_t m;
once_flag once = ONCE_FLAG_INIT;

void initialise(void) { mtx_init(&m, mtx_plain); }

int add(void *n) {
    call_once(&once, initialise);
    mtx_lock(&m);
    x += (int)(long)n;
    mtx_unlock(&m);
    return (int)(long)n;
}

int main(void) {
    thrd_t a, b;
    int r, s;
    thrd_create(&a, add, (void *)1);
    thrd_create(&b, add, (void *)2);
    thrd_join(a, &r);
    thrd_join(b, &s);
    assert(x == 3 && r + s == 3);
    return 0;
}
