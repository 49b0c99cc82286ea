// A program that declares the functions itself may have handles of four bytes.
//@ verdict: verified
//@ traces: 1
typedef int handle;
int pthread_create(handle *thread, const void *attributes, void *(*start)(void *), void *argument);
int pthread_join(handle thread, void **result);
void abort(void);
int x, y;

void *worker(void *place) {
    *(int *)place = 1;
    return 0;
}

int main(void) {
    struct { handle first, second; int after; } threads = { 0, 0, 5 };
    pthread_create(&threads.first, 0, worker, &x);
    pthread_create(&threads.second, 0, worker, &y);
    pthread_join(threads.first, 0);
    pthread_join(threads.second, 0);
    if (x + y != 2 || threads.after != 5 || threads.first == threads.second) abort();
    return 0;
}
