// Rounding, classes of numbers, products that are rounded once, and words of a text.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <math.h>
#include <string.h>

int main(void) {
    assert(lround(-2.5) == -3 && lrint(2.5) == 2 && lroundf(1.5f) == 2);
    volatile float zero = 0.0f;
    assert(isnan(zero / zero) && !isnan(1.0f) && isinf(-1.0f / zero) && !isfinite(1.0f / zero));
    assert(isnormal(1.0) && !isnormal(1e-310) && fpclassify(-0.0) == FP_ZERO && signbit(-0.0));
    volatile double small = 0x1p-30;
    assert(__builtin_fma(1 + small, 1 - small, -1.0) == -0x1p-60);
    char text[] = " a, bc ,d";
    int length = 0;
    for (char *word = strtok(text, " ,"); word; word = strtok(0, " ,")) length += strlen(word);
    assert(length == 4);
    return 0;
}
