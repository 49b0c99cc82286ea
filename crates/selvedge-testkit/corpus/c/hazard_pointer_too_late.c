// The pointer to a block that was retired is still there for others, who protect it in vain.
//@ verdict: violation use-after-free
//@ traces: 4
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>

_Atomic(int *) current;

void *reader(void *unused) {
    __VERIFIER_hp_t *hazard = __VERIFIER_hp_alloc();
    int *block = __VERIFIER_hp_protect(hazard, &current);
    assert(*block == 1);
    __VERIFIER_hp_free(hazard);
    return 0;
}

int main(void) {
    int *block = malloc(sizeof(int));
    *block = 1;
    current = block;
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    __VERIFIER_hp_retire(block);
    pthread_join(t, 0);
    return 0;
}
