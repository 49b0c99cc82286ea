// A preprocessed text with a definition that is only inline. The function that reports errors has no body, which asks for no part of the C++ library.
//@ verdict: verified
//@ traces: 2
typedef unsigned long pthread_t;
typedef union { char size[40]; long align; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern void report_error(void);
int x;
pthread_mutex_t m;

inline void add(int amount) {
    pthread_mutex_lock(&m);
    x += amount;
    pthread_mutex_unlock(&m);
}

void *first(void *unused) {
    add(1);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, first, 0);
    add(2);
    pthread_join(a, 0);
    if (x != 3) report_error();
    return 0;
}
