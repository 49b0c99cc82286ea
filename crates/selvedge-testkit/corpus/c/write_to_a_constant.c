// A literal is changed.
//@ verdict: violation write-to-constant
//@ traces: 1
#include <pthread.h>
#include <assert.h>
int main(void) {
    char *p = "abc";
    p[0] = 0;
    return 0;
}
