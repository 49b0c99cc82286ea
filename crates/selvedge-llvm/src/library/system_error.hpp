#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
namespace std {
inline namespace _V2 {
error_category::~error_category() {}
__cow_string error_category::_M_message(int code) const { return __cow_string(message(code)); }
error_condition error_category::default_error_condition(int code) const noexcept {
    return error_condition(code, *this);
}
bool error_category::equivalent(int code, const error_condition &condition) const noexcept {
    return default_error_condition(code) == condition;
}
bool error_category::equivalent(const error_code &code, int condition) const noexcept {
    return *this == code.category() && code.value() == condition;
}

static const char *selvedge_message(int code) {
    switch (code) {
    case 0: return "Success";
    case EPERM: return "Operation not permitted";
    case ESRCH: return "No such process";
    case EAGAIN: return "Resource temporarily unavailable";
    case ENOMEM: return "Cannot allocate memory";
    case EBUSY: return "Device or resource busy";
    case EINVAL: return "Invalid argument";
    case EDEADLK: return "Resource deadlock avoided";
    case ETIMEDOUT: return "Connection timed out";
    default: return "Unknown error";
    }
}
struct selvedge_generic_category : error_category {
    const char *name() const noexcept override { return "generic"; }
    string message(int code) const override { return selvedge_message(code); }
};
struct selvedge_system_category : error_category {
    const char *name() const noexcept override { return "system"; }
    string message(int code) const override { return selvedge_message(code); }
    error_condition default_error_condition(int code) const noexcept override {
        return error_condition(code, generic_category());
    }
};
// They are never destroyed: other static objects may use them to the end.
template <class Category> static const error_category &selvedge_category() {
    alignas(Category) static char room[sizeof(Category)];
    static const error_category *category = new (room) Category;
    return *category;
}
const error_category &generic_category() noexcept { return selvedge_category<selvedge_generic_category>(); }
const error_category &system_category() noexcept { return selvedge_category<selvedge_system_category>(); }
}
error_condition error_code::default_error_condition() const noexcept {
    return category().default_error_condition(value());
}
system_error::~system_error() noexcept {}
void __throw_system_error(int code) { throw system_error(error_code(code, generic_category())); }
}
