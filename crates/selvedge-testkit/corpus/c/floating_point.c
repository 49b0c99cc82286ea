// Floats and doubles.
//@ verdict: verified
//@ traces: 1
#include <math.h>
#include <pthread.h>
#include <assert.h>

int main(void) {
    double d = 0.1 + 0.2;
    float f = 0.1f + 0.2f;
    assert(d != 0.3 && d > 0.3 && f == 0.3f);
    assert(sqrt(2.25) == 1.5 && floor(-0.5) == -1.0 && fabs(-3.0) == 3.0);
    assert((int)-2.7 == -2 && (unsigned char)(int)300.5 == 44);
    double n = 0.0 / (d - d);
    assert(n != n);
    return 0;
}
