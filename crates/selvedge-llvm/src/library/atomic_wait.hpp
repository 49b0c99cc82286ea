#define _GLIBCXX_USE_POSIX_SEMAPHORE 1
#define __atomic_wait_address_v __selvedge_unused_wait_address_v
#define __atomic_wait_address __selvedge_unused_wait_address
#define __atomic_wait_address_bare __selvedge_unused_wait_address_bare
#define __atomic_notify_address __selvedge_unused_notify_address
#define __atomic_notify_address_bare __selvedge_unused_notify_address_bare
#include <bits/atomic_wait.h>
#undef __atomic_wait_address_v
#undef __atomic_wait_address
#undef __atomic_wait_address_bare
#undef __atomic_notify_address
#undef __atomic_notify_address_bare
extern "C" void selvedge_wait(const void *, unsigned long, unsigned long);
extern "C" void selvedge_notify(const void *, unsigned long, int);
namespace std {
template <typename _Tp, typename _Load>
void __atomic_wait_address_v(const _Tp *__address, _Tp __old, _Load __load) noexcept {
    static_assert(sizeof(_Tp) <= sizeof(unsigned long));
    unsigned long __bits = 0;
    __builtin_memcpy(&__bits, &__old, sizeof(_Tp));
    while (__detail::__atomic_compare(__old, __load())) selvedge_wait(__address, __bits, sizeof(_Tp));
}
template <typename _Tp, typename _Ready>
void __atomic_wait_address(const _Tp *, _Ready __ready) noexcept {
    while (!__ready()) {}
}
template <typename _Ready>
void __atomic_wait_address_bare(const __detail::__platform_wait_t *, _Ready __ready) noexcept {
    while (!__ready()) {}
}
template <typename _Tp> void __atomic_notify_address(const _Tp *__address, bool __all) noexcept {
    selvedge_notify(__address, sizeof(_Tp), __all);
}
inline void __atomic_notify_address_bare(const __detail::__platform_wait_t *__address, bool __all) noexcept {
    selvedge_notify(__address, sizeof *__address, __all);
}
}
