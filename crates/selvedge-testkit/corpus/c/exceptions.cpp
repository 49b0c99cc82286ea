// Exceptions are caught by their types and bases, destructors run on the way, and one may be thrown again.
//@ verdict: verified
//@ traces: 1
//@ flags: --check leaks
#include <cassert>
#include <stdexcept>
#include <string>

struct A { virtual ~A() {} int x = 1; };
struct B : A { int y = 2; };
struct C { virtual ~C() {} int z = 9; };
struct M : A, C {};

int destroyed;
struct Guard { ~Guard() { destroyed++; } };

void f(int k) {
    Guard guard;
    switch (k) {
    case 0: throw 7;
    case 1: throw B();
    case 2: throw std::runtime_error("oops");
    case 3: throw std::out_of_range(std::string("range"));
    case 4: throw M();
    case 5: throw "text";
    }
}

int main() {
    std::string log;
    for (int k = 0; k < 7; k++) {
        try {
            f(k);
            log += '.';
        } catch (int i) {
            assert(i == 7);
            log += 'i';
        } catch (const C &c) {
            assert(c.z == 9);
            log += 'C';
        } catch (const A &a) {
            assert(a.x == 1);
            log += 'A';
        } catch (const std::logic_error &e) {
            log += e.what();
        } catch (const std::exception &e) {
            log += e.what();
        } catch (const char *text) {
            log += text;
        }
    }
    assert(log == "iAoopsrangeCtext.");
    assert(destroyed == 7);
    int twice = 0;
    try {
        try {
            f(1);
        } catch (...) {
            twice++;
            throw;
        }
    } catch (B b) {
        twice += b.y;
    }
    assert(twice == 3);
    try {
        std::string("abc").at(10);
        assert(false);
    } catch (std::out_of_range &) {
    }
    A *a = new B;
    assert(dynamic_cast<B *>(a) && !dynamic_cast<M *>(a));
    delete a;
}
