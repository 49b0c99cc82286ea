// Functions that run at the end, last first.
//@ verdict: violation assertion
//@ traces: 1
#include <stdlib.h>
#include <assert.h>
int order;

void noted_first(void) {
    assert(order != 1);
}

void noted_last(void) {
    order++;
}

int main(void) {
    atexit(noted_first);
    atexit(noted_last);
    exit(0);
}
