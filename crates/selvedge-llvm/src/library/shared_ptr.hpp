#include <memory>
#include <pthread.h>
static pthread_mutex_t selvedge_pointers = PTHREAD_MUTEX_INITIALIZER;
namespace std {
_Sp_locker::_Sp_locker(const void *) noexcept { pthread_mutex_lock(&selvedge_pointers); }
_Sp_locker::_Sp_locker(const void *, const void *) noexcept { pthread_mutex_lock(&selvedge_pointers); }
_Sp_locker::~_Sp_locker() { pthread_mutex_unlock(&selvedge_pointers); }
}
