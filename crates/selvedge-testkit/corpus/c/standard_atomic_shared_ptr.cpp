// An atomic shared pointer, which the library guards by a bit.
//@ verdict: verified
//@ traces: 25
//@ cflags: -std=c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
std::atomic<std::shared_ptr<int>> present;

int main() {
    present.store(std::make_shared<int>(1));
    std::thread t([] {
        auto seen = present.load();
        assert(*seen > 0);
    });
    present.store(std::make_shared<int>(2));
    t.join();
    assert(*present.load() == 2);
}
