// Errors of the system as exceptions, caught: a lock that is taken twice, a promise that was broken.
//@ verdict: verified
//@ traces: 1
#include <cassert>
#include <future>
#include <mutex>
#include <string>
#include <system_error>

int main() {
    std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex);
    bool caught = false;
    try {
        lock.lock();
    } catch (const std::system_error &error) {
        caught = error.code() == std::errc::resource_deadlock_would_occur && !std::string(error.what()).empty();
    }
    assert(caught);
    std::future<int> future;
    {
        std::promise<int> promise;
        future = promise.get_future();
    }
    bool broken = false;
    try {
        future.get();
    } catch (const std::future_error &error) {
        broken = error.code() == std::future_errc::broken_promise;
    }
    assert(broken);
    return 0;
}
