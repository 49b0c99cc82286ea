// The write races with reads before it: it comes after them in every schedule that is shown.
//@ verdict: violation data-race
//@ traces: 8
//@ flags: --check races
#include <pthread.h>
int x;

void *reader(void *unused) {
    return x ? &x : 0;
}

void *writer(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_create(&c, 0, writer, 0);
    int seen = x;
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return seen > 1;
}
