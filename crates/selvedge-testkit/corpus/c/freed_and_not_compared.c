// Blocks come and go, but no address of a freed one is compared with another: nothing to decide.
//@ verdict: verified
//@ traces: 6
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node { int value; struct node *next; } *list;

void *work(void *value) {
    struct node *node = malloc(sizeof *node);
    node->value = (int)(long)value;
    pthread_mutex_lock(&m);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    struct node *first = list;
    list = first->next;
    pthread_mutex_unlock(&m);
    assert(first != 0);
    free(first);
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(list == 0);
    return 0;
}
