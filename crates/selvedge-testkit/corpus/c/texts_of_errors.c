// Numbers of errors in words, and texts in parts.
//@ verdict: verified
//@ traces: 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <string.h>

int main(void) {
    assert(!strcmp(strerror(EBUSY), "Device or resource busy"));
    assert(!strcmp(strerror(-120), "Unknown error -120"));
    char text[] = "a,,b", *rest = text;
    assert(!strcmp(strsep(&rest, ",;"), "a"));
    assert(!strcmp(strsep(&rest, ",;"), ""));
    assert(!strcmp(strsep(&rest, ",;"), "b"));
    assert(!strsep(&rest, ",;"));
    return 0;
}
