// A program for another checker: its header is ours, and marks of loops mean nothing.
//@ verdict: verified
//@ traces: 2
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>

#define await_while(condition)                                                                         \
    for (int going = (__VERIFIER_loop_begin(), 0);                                                     \
         __VERIFIER_spin_start(), going = (condition), __VERIFIER_spin_end(!going), going;)

atomic_int flag, value;

void *waiter(void *unused) {
    await_while (!flag);
    int seen = 0;
    while (!__VERIFIER_final_CAS(atomic_compare_exchange_strong(&value, &seen, seen + 1)));
    return (void *)(intptr_t)(seen + 1);
}

int main(void) {
    __VERIFIER_thread_t a = __VERIFIER_spawn(waiter, 0);
    __VERIFIER_thread_t b = __VERIFIER_spawn_symmetric(waiter, 0, a);
    flag = 1;
    intptr_t sum = (intptr_t)__VERIFIER_join(a) + (intptr_t)__VERIFIER_join(b);
    assert(sum == 3);
    return 0;
}
