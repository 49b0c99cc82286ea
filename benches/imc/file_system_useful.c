// The file system without mutexes: what they are for is declared by assumptions [Metzler2020, figure 4.15b].
// The second thread is only let go on when it has something to do.
#include <pthread.h>
#include <stdbool.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int block;
bool busy, inode;

void *t1(void *unused) {
    for (;;) {
        if (!inode) {
            busy = true;
            inode = true;
        }
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(inode && busy);
        block = 1;
        __VERIFIER_atomic_end();
    }
}

void *t2(void *unused) {
    for (;;) {
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(!busy);
        block = 0;
        __VERIFIER_atomic_end();
    }
}

void *t3(void *unused) {
    for (;;) {
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(inode == busy);
        inode = false;
        busy = false;
        __VERIFIER_atomic_end();
    }
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_create(&c, 0, t3, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
