// A block that is protected before it is retired stays; who protects it later finds another one.
//@ verdict: verified
//@ traces: 6
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>

_Atomic(int *) current;

void *reader(void *unused) {
    __VERIFIER_hp_t *hazard = __VERIFIER_hp_alloc();
    int *block = __VERIFIER_hp_protect(hazard, &current);
    assert(*block == 1 || *block == 2);
    __VERIFIER_hp_free(hazard);
    return 0;
}

int main(void) {
    int *first = malloc(sizeof(int)), *second = malloc(sizeof(int));
    *first = 1;
    *second = 2;
    current = first;
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    current = second;
    __VERIFIER_hp_retire(first);
    pthread_join(t, 0);
    assert(*second == 2);
    return 0;
}
