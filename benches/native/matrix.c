// No threads: the product of two matrices, to see how fast instructions are interpreted.
#include <assert.h>
#ifndef N
#define N 60
#endif
static unsigned a[N][N], b[N][N], c[N][N];

static unsigned next(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

int main(void) {
    unsigned seed = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = next(&seed);
            b[i][j] = next(&seed);
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            unsigned sum = 0;
            for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    assert(c[0][0] != 0);
    return 0;
}
