// string.h.
//@ verdict: verified
//@ traces: 1
#include <string.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>

int main(void) {
    char a[16] = "selv", b[16];
    strcat(a, "edge");
    assert(strlen(a) == 8 && strcmp(a, "selvedge") == 0 && strncmp(a, "self", 3) == 0);
    strncpy(b, a, sizeof b);
    assert(memcmp(a, b, 9) == 0 && strchr(b, 'v') == b + 3 && strstr(b, "edge") == b + 4);
    memmove(b + 1, b, 4);
    assert(strcmp(b, "sselvdge") == 0);
    memset(b, 'x', 3);
    assert(strrchr(b, 'x') == b + 2);
    char *c = strdup(a);
    assert(strcmp(c, a) == 0 && atoi("42x") == 42 && strtol("ff", 0, 16) == 255);
    free(c);
    return 0;
}
