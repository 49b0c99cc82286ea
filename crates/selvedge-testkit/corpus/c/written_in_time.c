// Memory that is written before it is read, in one way or another.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
struct pair { int a, b; };
static struct pair make(int a) {
    struct pair made;
    made.a = a;
    made.b = a + 1;
    return made;
}
int main(void) {
    int x, y;
    for (int i = 0; i < 2; i++) x = i;
    if (x) y = 1; else y = 2;
    int *zeros = calloc(2, sizeof *zeros);
    int *ones = malloc(2 * sizeof *ones);
    memset(ones, 1, 2 * sizeof *ones);
    struct pair p = make(x), q = p;
    assert(y == 1 && zeros[1] == 0 && ones[1] == 0x01010101 && q.a + q.b == 3);
    free(zeros);
    free(ones);
    return 0;
}
