// Numbers and order of addresses are as little known with pointers of 32 bits.
//@ verdict: violation assertion
//@ traces: 2
//@ cflags: -m32
void *malloc(unsigned);
void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(claim) ((claim) ? (void)0 : __assert_fail(#claim, __FILE__, __LINE__, __func__))

int main(void) {
    char *first = malloc(8), *second = malloc(8);
    assert((unsigned long)first < (unsigned long)second);
    return 0;
}
