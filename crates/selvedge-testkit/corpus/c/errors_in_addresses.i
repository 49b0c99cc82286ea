// As models of drivers do it: a number of an error in place of an address. With 32 bits, no address is in the last page.
//@ verdict: verified
//@ traces: 3
//@ cflags: -m32
typedef unsigned int size_t;
typedef unsigned long pthread_t;
extern void *malloc(size_t);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);

static int is_error(const void *address) {
    return (unsigned long)address > 4294963200UL;
}

static void *any_block(size_t size) {
    if (__VERIFIER_nondet_int() == 0) return (void *)-12L;
    void *block = malloc(size);
    __VERIFIER_assume((unsigned long)block <= 4294963200UL);
    return block;
}

struct device {
    int users;
} *device;

void *use(void *unused) {
    device->users = 1;
    return unused;
}

int main(void) {
    device = any_block(sizeof *device);
    if (is_error(device)) return 0;
    device->users = 0;
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    if (device->users > 1) reach_error();
    pthread_join(thread, 0);
    if (device->users != 1) reach_error();
    free(device);
    return 0;
}
