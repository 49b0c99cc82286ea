// The program gives up.
// expect: ?
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    abort();
}
