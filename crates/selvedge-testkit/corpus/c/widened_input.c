// An input that is widened with its sign and then with zeros.
//@ verdict: violation abort
//@ traces: 129
#include <stdlib.h>
extern char __VERIFIER_nondet_char(void);

int main(void) {
    char c = __VERIFIER_nondet_char();
    unsigned middle = c;
    unsigned long wide = middle;
    if (c < 0 && wide == 0xfffffffful) abort();
    return 0;
}
