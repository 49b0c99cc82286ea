// Inputs of all types have the ranges of their types; small ones are tried value by value.
//@ verdict: verified
//@ traces: 771
#include <assert.h>
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern signed char __VERIFIER_nondet_schar(void);
extern unsigned long __VERIFIER_nondet_sizet(void);

int main(void) {
    if (__VERIFIER_nondet_ulonglong() > 5) assert(__VERIFIER_nondet_schar() < 128);
    if (__VERIFIER_nondet_schar() < 0) assert(__VERIFIER_nondet_sizet() + 1 > 0 || 1);
    return 0;
}
