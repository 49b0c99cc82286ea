// A disk block that is protected by one mutex or the other, depending on a flag [Metzler2020, figure 4.14].
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

int block;
bool busy, inode;
pthread_mutex_t m_inode = PTHREAD_MUTEX_INITIALIZER, m_busy = PTHREAD_MUTEX_INITIALIZER;

void *t1(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m_inode);
        if (!inode) {
            pthread_mutex_lock(&m_busy);
            busy = true;
            pthread_mutex_unlock(&m_busy);
            inode = true;
        }
        block = 1;
        assert(block == 1);
        pthread_mutex_unlock(&m_inode);
    }
}

void *t2(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m_busy);
        if (!busy) {
            block = 0;
            assert(block == 0);
        }
        pthread_mutex_unlock(&m_busy);
    }
}

void *t3(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m_inode);
        pthread_mutex_lock(&m_busy);
        inode = false;
        busy = false;
        pthread_mutex_unlock(&m_inode);
        pthread_mutex_unlock(&m_busy);
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
