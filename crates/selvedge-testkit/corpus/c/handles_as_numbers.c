// A program that declares handles as numbers of 32 bits gets numbers.
//@ verdict: verified
//@ traces: 1
typedef unsigned pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
int x;

void *one(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, one, 0);
    pthread_join(thread, 0);
    if (x != 1 || thread == 0) __assert_fail("x == 1", "handles_as_numbers.c", 20, "main");
    return 0;
}
