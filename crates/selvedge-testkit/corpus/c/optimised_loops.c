// What clang -O2 makes of loops over arrays.
//@ verdict: verified
//@ traces: 1
//@ cflags: -O2
#include <pthread.h>
#include <assert.h>

int a[37], b[37];

int main(void) {
    int sum = 0;
    for (int i = 0; i < 37; i++) a[i] = i * i;
    for (int i = 0; i < 37; i++) b[i] = a[36 - i] + 1;
    for (int i = 0; i < 37; i++) sum += b[i];
    assert(sum == 16243);
    return 0;
}
