// Numbers as text, where flags, names and prefixes make a difference.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void is(const char *found, const char *expected) { assert(strcmp(found, expected) == 0); }

int main(void) {
    char text[80], *end;
    sprintf(text, "%#o %#.0o %#.0f %#.0e %#g %06.1f", 8, 0, 3.0, 2.0, 1.5, -2.25);
    is(text, "010 0 3. 2.e+00 1.50000 -002.2");
    sprintf(text, "%05f %F %-6G| %a", INFINITY, -INFINITY, NAN, 1.5);
    is(text, "  inf -INF NAN   | 0x1.8p+0");
    sprintf(text, "%.3s|%s", (char *)0, (char *)0);
    is(text, "|(null)");
    assert(strtod("inf", &end) == INFINITY && *end == 0);
    assert(strtod("-Infinite", &end) == -INFINITY && strcmp(end, "inite") == 0);
    assert(isnan(strtod("nan(7)x", &end)) && *end == 'x');
    assert(strtod("0x1.8p3", &end) == 12 && *end == 0);
    assert(strtod("0xg", &end) == 0 && *end == 'x');
    errno = 0;
    assert(strtod("1e999", 0) == HUGE_VAL && errno == ERANGE);
    assert(strtol("0xg", &end, 16) == 0 && *end == 'x');
    assert(strtol("\v12", 0, 10) == 12);
    errno = 0;
    assert(strtol("1", 0, 1) == 0 && errno == EINVAL);
    assert(atoi("99999999999999999999") == -1);
    assert(tolower(EOF) == EOF);
    int a = 0, b = 0;
    assert(sscanf("12345 %7", "%2d%*d %%%d", &a, &b) == 2 && a == 12 && b == 7);
    assert(sscanf("", "x") == EOF);
    assert(sscanf("ab]c", "%[^]]", text) == 1 && strcmp(text, "ab") == 0);
    return 0;
}
