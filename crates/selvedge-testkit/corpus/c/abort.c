// The program gives up.
//@ verdict: violation abort
//@ traces: 1
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    abort();
}
