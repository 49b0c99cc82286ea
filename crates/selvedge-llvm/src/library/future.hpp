#include <cerrno>
#include <ctime>
#include <future>
#include <unistd.h>
namespace std {
struct selvedge_future_category : error_category {
    const char *name() const noexcept override { return "future"; }
    string message(int) const override { return "future error"; }
};
const error_category &future_category() noexcept { return selvedge_category<selvedge_future_category>(); }
future_error::~future_error() noexcept {}
const char *future_error::what() const noexcept { return "std::future_error"; }
void __throw_future_error(int code) { throw future_error(make_error_code(future_errc(code))); }
static bool selvedge_wait_at(unsigned *at, unsigned value, bool limited) {
    static const timespec limit = {1, 0};
    return syscall(202, at, 0, value, limited ? &limit : nullptr) == 0 || errno != ETIMEDOUT;
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *at, unsigned value, bool limited, chrono::seconds,
                                                       chrono::nanoseconds) {
    return selvedge_wait_at(at, value, limited);
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *at, unsigned value, bool limited,
                                                              chrono::seconds, chrono::nanoseconds) {
    return selvedge_wait_at(at, value, limited);
}
void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *at) { syscall(202, at, 1, 2147483647); }
__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;
}
