// Two threads throw the same exception from pointers, and the last one to let go destroys it.
//@ verdict: verified
//@ traces: 20
#include <atomic>
#include <cassert>
#include <exception>
#include <thread>
#include <utility>

std::atomic<int> destroyed;

struct Counted {
    ~Counted() { destroyed++; }
};

void throw_it(std::exception_ptr pointer) {
    try {
        std::rethrow_exception(std::move(pointer));
    } catch (Counted &) {
        assert(destroyed == 0);
    }
}

int main() {
    std::exception_ptr pointer;
    try {
        throw Counted();
    } catch (...) {
        pointer = std::current_exception();
    }
    std::thread t(throw_it, pointer);
    throw_it(std::move(pointer));
    t.join();
    assert(destroyed == 1);
}
