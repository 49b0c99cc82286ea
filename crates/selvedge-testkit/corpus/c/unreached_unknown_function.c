// Unless it is never called.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
extern int mystery(int);

int main(int argc, char **argv) {
    if (argc == 7) return mystery(3);
    return 0;
}
