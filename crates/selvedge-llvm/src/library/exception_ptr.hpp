#include <exception>
extern "C" void *selvedge_caught_exception();
extern "C" __attribute__((noreturn)) void selvedge_throw_from_pointer(void *);
namespace std {
namespace __exception_ptr {
struct selvedge_header {
    void *type;
    void (*destructor)(void *);
    long handlers;
    void *before, *part;
    long references;
    void *primary, *unused;
};
static selvedge_header *selvedge_header_of(void *object) { return static_cast<selvedge_header *>(object) - 1; }
void exception_ptr::_M_addref() _GLIBCXX_USE_NOEXCEPT {
    if (_M_exception_object)
        __atomic_add_fetch(&selvedge_header_of(_M_exception_object)->references, 1, __ATOMIC_ACQ_REL);
}
void exception_ptr::_M_release() _GLIBCXX_USE_NOEXCEPT {
    if (!_M_exception_object) return;
    selvedge_header *header = selvedge_header_of(_M_exception_object);
    if (__atomic_sub_fetch(&header->references, 1, __ATOMIC_ACQ_REL) != 0) return;
    if (header->destructor) header->destructor(_M_exception_object);
    __cxxabiv1::__cxa_free_exception(_M_exception_object);
    _M_exception_object = 0;
}
exception_ptr::exception_ptr(void *object) _GLIBCXX_USE_NOEXCEPT : _M_exception_object(object) { _M_addref(); }
void *exception_ptr::_M_get() const _GLIBCXX_USE_NOEXCEPT { return _M_exception_object; }
}
exception_ptr current_exception() _GLIBCXX_USE_NOEXCEPT { return exception_ptr(selvedge_caught_exception()); }
void rethrow_exception(exception_ptr pointer) {
    pointer._M_addref();
    selvedge_throw_from_pointer(pointer._M_exception_object);
}
}
