// A reference to an object of another class: an exception, caught once and once not.
//@ verdict: violation abort
//@ traces: 1
#include <cassert>
#include <typeinfo>

struct Base {
    virtual ~Base() {}
};
struct Derived : Base {
    int x = 1;
};

int main() {
    Base base;
    Base &reference = base;
    bool caught = false;
    try {
        dynamic_cast<Derived &>(reference).x++;
    } catch (const std::bad_cast &) {
        caught = true;
    }
    assert(caught);
    return dynamic_cast<Derived &>(reference).x;
}
