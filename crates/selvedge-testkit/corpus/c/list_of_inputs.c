// An input that is printed from a list of arguments is decided then.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
extern bool __VERIFIER_nondet_bool(void);
char text[16];

void write_down(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
}

int main(void) {
    write_down("%d", __VERIFIER_nondet_bool());
    assert(strcmp(text, "1") != 0);
    return 0;
}
