// printf into a text, and further arguments.
//@ verdict: verified
//@ traces: 1
#include <stdio.h>
#include <stdarg.h>
#include <string.h>
#include <pthread.h>
#include <assert.h>

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++) total += va_arg(list, int);
    total += (int)va_arg(list, double);
    va_end(list);
    return total;
}

int main(void) {
    char text[64];
    int length = sprintf(text, "%d %5u %-4s| %c %x %.2f %ld%%", -3, 42u, "ab", 'z', 255, 2.5, 1L << 40);
    assert(strcmp(text, "-3    42 ab  | z ff 2.50 1099511627776%") == 0 && length == 39);
    assert(snprintf(text, 4, "%s", "longer") == 6 && strcmp(text, "lon") == 0);
    assert(sum(3, 1, 2, 3, 4.5) == 10);
    printf("hello %s\n", text);
    return 0;
}
