// The time may be any.
//@ verdict: violation assertion
//@ traces: 2
#include <time.h>
#include <stdlib.h>
#include <assert.h>

int main(void) {
    srand(time(0));
    time_t now = time(0);
    if (now == 1000) assert(0);
    return 0;
}
