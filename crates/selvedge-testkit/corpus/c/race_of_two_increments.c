// Whether a write races depends on who has read before it, though it has no effect then.
//@ verdict: violation data-race
//@ traces: 4
//@ flags: --check races
#include <pthread.h>

int x;

void *increments(void *unused) {
    x++;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, increments, 0);
    pthread_create(&second, 0, increments, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
