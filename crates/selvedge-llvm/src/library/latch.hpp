#define _GLIBCXX_LATCH 1
#include <cstddef>
namespace std {
class latch {
public:
    static constexpr ptrdiff_t max() noexcept { return __PTRDIFF_MAX__; }
    constexpr explicit latch(ptrdiff_t __expected) noexcept : _M_left(__expected) {}
    latch(const latch &) = delete;
    latch &operator=(const latch &) = delete;
    void count_down(ptrdiff_t __update = 1) noexcept { __atomic_fetch_sub(&_M_left, __update, __ATOMIC_RELEASE); }
    bool try_wait() const noexcept { return __atomic_load_n(&_M_left, __ATOMIC_ACQUIRE) == 0; }
    void wait() const noexcept {
        while (__atomic_load_n(&_M_left, __ATOMIC_ACQUIRE) != 0) {}
    }
    void arrive_and_wait(ptrdiff_t __update = 1) noexcept {
        count_down(__update);
        wait();
    }

private:
    ptrdiff_t _M_left;
};
}
