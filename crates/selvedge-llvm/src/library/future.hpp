#include <future>
namespace std {
struct selvedge_future_category : error_category {
    const char *name() const noexcept override { return "future"; }
    string message(int) const override { return "future error"; }
};
const error_category &future_category() noexcept { static selvedge_future_category category; return category; }
future_error::~future_error() noexcept {}
const char *future_error::what() const noexcept { return "std::future_error"; }
void __throw_future_error(int code) { throw future_error(make_error_code(future_errc(code))); }
__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;
}
