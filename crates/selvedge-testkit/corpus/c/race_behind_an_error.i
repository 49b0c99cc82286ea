// The same with a violation behind the assumption about the address: the assumption drops nothing.
//@ verdict: violation error-call
//@ traces: 4
//@ cflags: -m32
typedef unsigned int size_t;
typedef unsigned long pthread_t;
extern void *malloc(size_t);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);

struct device {
    int users;
} *device;

void *use(void *unused) {
    int users = device->users;
    device->users = users + 1;
    return unused;
}

int main(void) {
    device = malloc(sizeof *device);
    __VERIFIER_assume((unsigned long)device <= 4294967295UL);
    device->users = 0;
    pthread_t first, second;
    pthread_create(&first, 0, use, 0);
    pthread_create(&second, 0, use, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    if (device->users != 2) reach_error();
    return 0;
}
