// A structure that is written field by field and copied.
//@ verdict: verified
//@ traces: 1
//@ flags: --check uninitialised
#include <pthread.h>
#include <assert.h>
struct s { char a; int b; };

int main(void) {
    struct s x, y;
    x.a = 1;
    x.b = 2;
    y = x;
    assert(y.a + y.b == 3);
    return 0;
}
