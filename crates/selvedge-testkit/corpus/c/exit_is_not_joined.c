// Who ends the program is not joined by others: `main` comes no further.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
int x;

void *first(void *unused) {
    if (x) exit(0);
    return 0;
}

int main(void) {
    pthread_t a;
    x = 1;
    pthread_create(&a, 0, first, 0);
    pthread_join(a, 0);
    assert(0);
}
