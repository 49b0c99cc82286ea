// The data model ILP32: sizes, alignment, further arguments, results of threads and numbers of addresses.
//@ verdict: verified
//@ traces: 1
//@ cflags: -m32
#include <stdarg.h>

typedef unsigned long pthread_t;
void *malloc(unsigned);
void free(void *);
void *memcpy(void *, const void *, unsigned);
int snprintf(char *, unsigned, const char *, ...);
long strtol(const char *, char **, int);
int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(claim) ((claim) ? (void)0 : __assert_fail(#claim, __FILE__, __LINE__, __func__))

struct node {
    struct node *next;
    long value;
    long long wide;
    double fraction;
};

void *increment(void *argument) {
    struct node *node = argument;
    node->value++;
    return node;
}

int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += va_arg(list, int);
    }
    long long wide = va_arg(list, long long);
    double fraction = va_arg(list, double);
    va_end(list);
    return sum + (wide == 1LL << 40) + (fraction == 1.5);
}

int main(int count, char **arguments) {
    assert(sizeof(void *) == 4 && sizeof(long) == 4 && sizeof(struct node) == 24);
    assert(count == 1 && arguments[0][0] == 'p' && !arguments[1]);
    struct node *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    *first = (struct node){0, 1, 1LL << 40, 2.5};
    *second = (struct node){first, 7, 0, 0};
    struct node copy;
    memcpy(&copy, second, sizeof copy);
    assert(copy.next == first && copy.next->wide == 1LL << 40);
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, increment, first);
    pthread_join(thread, &result);
    assert(result == first && first->value == 2);
    assert(sum(3, 1, 2, 3, 1LL << 40, 1.5) == 8);
    unsigned long number = (unsigned long)first;
    assert((number & 7) == 0 && number <= 4294967295UL && (struct node *)((number | 1) & ~7UL) == first);
    unsigned link = (unsigned)first ^ (unsigned)second;
    assert((struct node *)(link ^ (unsigned)first) == second);
    char text[40];
    snprintf(text, sizeof text, "%ld %lld", -5L, -6LL);
    assert(text[0] == '-' && text[1] == '5' && text[3] == '-' && text[4] == '6');
    assert(strtol("4294967296", 0, 10) == 2147483647L);
    free(first);
    free(second);
    return 0;
}
