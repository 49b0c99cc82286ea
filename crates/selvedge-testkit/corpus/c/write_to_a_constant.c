// A literal is changed.
// expect: ?
#include <pthread.h>
#include <assert.h>
int main(void) {
    char *p = "abc";
    p[0] = 0;
    return 0;
}
