// The program gives up.
//@ verdict: ?
//@ traces: ?
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    abort();
}
