// A list under a lock.
//@ verdict: verified
//@ traces: 2
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>

struct node { int value; struct node *next; } *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *push(void *value) {
    struct node *n = malloc(sizeof *n);
    n->value = (int)(long)value;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, (void *)1);
    pthread_create(&b, 0, push, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(head && head->next && !head->next->next && head->value + head->next->value == 3);
    return 0;
}
