// std::promise hands a value, or an exception, to a std::future.
//@ verdict: verified
//@ traces: 4
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread t([&] { promise.set_value(7); });
    assert(future.get() == 7);
    t.join();
    auto failed = std::async(std::launch::async, []() -> int { throw std::runtime_error("oops"); });
    try {
        failed.get();
        assert(false);
    } catch (const std::runtime_error &) {
    }
}
