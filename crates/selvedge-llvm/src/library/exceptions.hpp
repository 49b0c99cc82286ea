#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
namespace std {
exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }
bad_exception::~bad_exception() noexcept {}
const char *bad_exception::what() const noexcept { return "std::bad_exception"; }
bad_alloc::~bad_alloc() noexcept {}
const char *bad_alloc::what() const noexcept { return "std::bad_alloc"; }
bad_array_new_length::~bad_array_new_length() noexcept {}
const char *bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }
bad_cast::~bad_cast() noexcept {}
const char *bad_cast::what() const noexcept { return "std::bad_cast"; }
bad_typeid::~bad_typeid() noexcept {}
const char *bad_typeid::what() const noexcept { return "std::bad_typeid"; }

static const char *selvedge_copy(const char *text) {
    char *copy = static_cast<char *>(malloc(strlen(text) + 1));
    strcpy(copy, text);
    return copy;
}
__cow_string::__cow_string() : _M_p(selvedge_copy("")) {}
__cow_string::__cow_string(const string &text) : _M_p(selvedge_copy(text.c_str())) {}
__cow_string::__cow_string(const char *text, size_t) : _M_p(selvedge_copy(text)) {}
__cow_string::__cow_string(const __cow_string &other) noexcept : _M_p(selvedge_copy(other._M_p)) {}
__cow_string::__cow_string(__cow_string &&other) noexcept : _M_p(selvedge_copy(other._M_p)) {}
__cow_string &__cow_string::operator=(const __cow_string &other) noexcept {
    const char *old = _M_p;
    _M_p = selvedge_copy(other._M_p);
    free(const_cast<char *>(old));
    return *this;
}
__cow_string &__cow_string::operator=(__cow_string &&other) noexcept {
    return *this = static_cast<const __cow_string &>(other);
}
__cow_string::~__cow_string() { free(const_cast<char *>(_M_p)); }

#define SELVEDGE_ROOT(type)                                                                                    \
    type::type(const string &text) : _M_msg(text) {}                                                           \
    type::type(const char *text) : _M_msg(text, 0) {}                                                          \
    type::type(const type &other) noexcept : exception(other), _M_msg(other._M_msg) {}                         \
    type::type(type &&other) noexcept : exception(other), _M_msg(other._M_msg) {}                              \
    type &type::operator=(const type &other) noexcept { _M_msg = other._M_msg; return *this; }                 \
    type &type::operator=(type &&other) noexcept { _M_msg = other._M_msg; return *this; }                      \
    type::~type() noexcept {}                                                                                  \
    const char *type::what() const noexcept { return _M_msg._M_p; }
SELVEDGE_ROOT(logic_error)
SELVEDGE_ROOT(runtime_error)
#define SELVEDGE_LEAF(type, base)                                                                              \
    type::type(const string &text) : base(text) {}                                                             \
    type::type(const char *text) : base(text) {}                                                               \
    type::~type() noexcept {}
SELVEDGE_LEAF(domain_error, logic_error)
SELVEDGE_LEAF(invalid_argument, logic_error)
SELVEDGE_LEAF(length_error, logic_error)
SELVEDGE_LEAF(out_of_range, logic_error)
SELVEDGE_LEAF(range_error, runtime_error)
SELVEDGE_LEAF(overflow_error, runtime_error)
SELVEDGE_LEAF(underflow_error, runtime_error)

extern "C" [[noreturn]] void __cxa_bad_cast() { throw bad_cast(); }
extern "C" [[noreturn]] void __cxa_bad_typeid() { throw bad_typeid(); }
void __throw_bad_exception() { throw bad_exception(); }
void __throw_bad_alloc() { throw bad_alloc(); }
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
void __throw_bad_cast() { throw bad_cast(); }
void __throw_bad_typeid() { throw bad_typeid(); }
void __throw_logic_error(const char *text) { throw logic_error(text); }
void __throw_domain_error(const char *text) { throw domain_error(text); }
void __throw_invalid_argument(const char *text) { throw invalid_argument(text); }
void __throw_length_error(const char *text) { throw length_error(text); }
void __throw_out_of_range(const char *text) { throw out_of_range(text); }
void __throw_out_of_range_fmt(const char *text, ...) { throw out_of_range(text); }
void __throw_runtime_error(const char *text) { throw runtime_error(text); }
void __throw_range_error(const char *text) { throw range_error(text); }
void __throw_overflow_error(const char *text) { throw overflow_error(text); }
void __throw_underflow_error(const char *text) { throw underflow_error(text); }
}
