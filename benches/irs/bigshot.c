// One thread allocates a text, another fills it in if it is there [Metzler2020, appendix C].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(char *) text;

static void *allocate(void *unused) {
    text = calloc(8, 1);
    return unused;
}

static void *fill(void *unused) {
    char *block = text;
    if (block) strcpy(block, "Bigshot");
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, allocate, 0);
    pthread_create(&threads[1], 0, fill, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(text[0] == 'B' || text[0] == 0);
    free(text);
    return 0;
}
