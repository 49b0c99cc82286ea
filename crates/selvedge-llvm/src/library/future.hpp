#include <future>
#include <unistd.h>
extern "C" void a_future_with_a_limit_of_time();
namespace std {
struct selvedge_future_category : error_category {
    const char *name() const noexcept override { return "future"; }
    string message(int) const override { return "future error"; }
};
const error_category &future_category() noexcept { return selvedge_category<selvedge_future_category>(); }
future_error::~future_error() noexcept {}
const char *future_error::what() const noexcept { return "std::future_error"; }
void __throw_future_error(int code) { throw future_error(make_error_code(future_errc(code))); }
bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *at, unsigned value, bool limited, chrono::seconds,
                                                       chrono::nanoseconds) {
    if (limited) a_future_with_a_limit_of_time();
    syscall(202, at, 0, value, nullptr);
    return true;
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *at, unsigned value, bool limited,
                                                              chrono::seconds, chrono::nanoseconds) {
    if (limited) a_future_with_a_limit_of_time();
    syscall(202, at, 0, value, nullptr);
    return true;
}
void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *at) { syscall(202, at, 1, 2147483647); }
__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;
}
