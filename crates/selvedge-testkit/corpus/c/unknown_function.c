// A function of which nothing is known is no answer.
//@ verdict: inconclusive
//@ traces: 0
#include <pthread.h>
#include <assert.h>
extern int mystery(int);

int main(void) {
    return mystery(3);
}
