// Whoever lets go of the last pointer to an exception destroys it.
//@ verdict: verified
//@ traces: 1
//@ cflags: -std=c++17
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>

int alive;

struct Counted {
    int number;
    explicit Counted(int n) : number(n) { alive++; }
    Counted(const Counted &other) : number(other.number) { alive++; }
    ~Counted() { alive--; }
};

int main() {
    std::exception_ptr kept;
    try {
        throw Counted(3);
    } catch (...) {
        kept = std::current_exception();
        assert(std::uncaught_exceptions() == 0);
    }
    assert(alive == 1);
    for (int i = 0; i < 2; i++) {
        try {
            std::rethrow_exception(kept);
        } catch (const Counted &e) {
            assert(e.number == 3 && alive == 1 && std::current_exception() == kept);
        }
    }
    kept = nullptr;
    assert(alive == 0);
    {
        auto made = std::make_exception_ptr(Counted(4)), copy = made;
        made = nullptr;
        assert(alive == 1);
        try {
            try {
                std::rethrow_exception(copy);
            } catch (...) {
                throw;
            }
        } catch (Counted &e) {
            copy = nullptr;
            assert(e.number == 4 && alive == 1);
        }
    }
    assert(alive == 0);
    try {
        std::rethrow_exception(std::make_exception_ptr(std::out_of_range("far")));
    } catch (const std::logic_error &e) {
        assert(std::string(e.what()) == "far");
    }
}
