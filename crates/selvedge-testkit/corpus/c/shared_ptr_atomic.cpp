// `std::atomic_load` and `std::atomic_store` of a shared pointer.
//@ verdict: verified
//@ traces: 5
//@ cflags: -std=c++20
#include <memory>
#include <thread>
#include <cassert>

std::shared_ptr<int> shared = std::make_shared<int>(1);

int main() {
    std::thread a([] { std::atomic_store(&shared, std::make_shared<int>(2)); }), b([] { auto p = std::atomic_load(&shared); assert(*p == 1 || *p == 2); });
    a.join();
    b.join();
}
