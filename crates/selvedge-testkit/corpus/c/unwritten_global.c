// A value that nobody wrote, by way of a global variable.
//@ verdict: violation uninitialised-use
//@ traces: 1
#include <assert.h>
int global;

int main(void) {
    int nothing;
    global = nothing;
    if (global) assert(0);
    return 0;
}
