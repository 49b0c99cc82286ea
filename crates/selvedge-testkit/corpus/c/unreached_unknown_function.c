// Unless it is never called.
// expect: ?
#include <pthread.h>
#include <assert.h>
extern int mystery(int);

int main(int argc, char **argv) {
    if (argc == 7) return mystery(3);
    return 0;
}
