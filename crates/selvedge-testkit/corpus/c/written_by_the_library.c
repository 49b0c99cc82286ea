// What calloc, memset, realloc, a thread's result and the library write is written.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *answer(void *unused) { return (void *)7; }

int main(void) {
    int *a = calloc(2, sizeof *a), *b = malloc(8);
    assert(a[1] == 0);
    memset(b, 1, 8);
    b = realloc(b, 16);
    assert(b[1] == 0x01010101);
    char text[16];
    snprintf(text, sizeof text, "%d", 12);
    assert(strcmp(text, "12") == 0);
    pthread_t t;
    void *result;
    pthread_create(&t, 0, answer, 0);
    pthread_join(t, &result);
    assert(result == (void *)7);
    free(a);
    free(b);
    return 0;
}
