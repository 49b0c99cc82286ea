#include <bits/std_mutex.h>
extern "C" void selvedge_lock_all(void *, ...);
namespace std {
class recursive_mutex;
template <typename _Mutex> class unique_lock;
void lock(mutex &, mutex &);
void lock(mutex &, mutex &, mutex &);
void lock(mutex &, mutex &, mutex &, mutex &);
void lock(recursive_mutex &, recursive_mutex &);
void lock(recursive_mutex &, recursive_mutex &, recursive_mutex &);
void lock(unique_lock<mutex> &, unique_lock<mutex> &);
void lock(unique_lock<mutex> &, unique_lock<mutex> &, unique_lock<mutex> &);
}
#include <mutex>
namespace std {
void lock(mutex &a, mutex &b) { selvedge_lock_all(a.native_handle(), b.native_handle()); }
void lock(mutex &a, mutex &b, mutex &c) {
    selvedge_lock_all(a.native_handle(), b.native_handle(), c.native_handle());
}
void lock(mutex &a, mutex &b, mutex &c, mutex &d) {
    selvedge_lock_all(a.native_handle(), b.native_handle(), c.native_handle(), d.native_handle());
}
void lock(recursive_mutex &a, recursive_mutex &b) { selvedge_lock_all(a.native_handle(), b.native_handle()); }
void lock(recursive_mutex &a, recursive_mutex &b, recursive_mutex &c) {
    selvedge_lock_all(a.native_handle(), b.native_handle(), c.native_handle());
}
static void selvedge_check(unique_lock<mutex> &lock) {
    if (!lock.mutex() || lock.owns_lock()) lock.lock();
}
static void selvedge_adopt(unique_lock<mutex> &lock) { lock = unique_lock<mutex>(*lock.mutex(), adopt_lock); }
void lock(unique_lock<mutex> &a, unique_lock<mutex> &b) {
    selvedge_check(a), selvedge_check(b);
    lock(*a.mutex(), *b.mutex());
    selvedge_adopt(a), selvedge_adopt(b);
}
void lock(unique_lock<mutex> &a, unique_lock<mutex> &b, unique_lock<mutex> &c) {
    selvedge_check(a), selvedge_check(b), selvedge_check(c);
    lock(*a.mutex(), *b.mutex(), *c.mutex());
    selvedge_adopt(a), selvedge_adopt(b), selvedge_adopt(c);
}
}
