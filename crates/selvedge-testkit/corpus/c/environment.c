// Nobody knows the environment.
//@ verdict: inconclusive
//@ traces: 0
#include <stdlib.h>

int main(void) {
    return getenv("HOME") == 0;
}
