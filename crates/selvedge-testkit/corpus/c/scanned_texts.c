// sscanf, strtod, strtok_r and their like.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int main(void) {
    int a;
    unsigned x;
    char word[8];
    double d;
    long l;
    assert(sscanf("12 abc ff 2.5 -9", "%d %7s %x %lf %ld", &a, word, &x, &d, &l) == 5);
    assert(a == 12 && strcmp(word, "abc") == 0 && x == 255 && d == 2.5 && l == -9);
    assert(sscanf("x", "%d", &a) == 0);
    char *end;
    assert(strtod("2.5e1z", &end) == 25.0 && *end == 'z');
    assert(atof("1.25") == 1.25);
    errno = 0;
    assert(strtol("99999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
    char text[] = "a,b;c", *rest;
    assert(*strtok_r(text, ",;", &rest) == 'a' && *strtok_r(0, ",;", &rest) == 'b');
    assert(strspn("aab", "a") == 2 && strcspn("aab", "b") == 2 && *strpbrk("hello", "le") == 'e');
    assert(strncasecmp("AbC", "aBd", 2) == 0);
    assert(div(7, 2).quot == 3 && div(-7, 2).rem == -1);
    return 0;
}
