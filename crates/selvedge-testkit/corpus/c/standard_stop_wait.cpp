// A request to stop wakes who waits with a stop token.
//@ verdict: verified
//@ traces: 44
//@ cflags: -std=c++20
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
std::mutex mutex;
std::condition_variable_any changed;

int main() {
    std::jthread t([](std::stop_token stop) {
        std::unique_lock lock(mutex);
        bool ready = changed.wait(lock, stop, [] { return false; });
        assert(!ready);
    });
}
