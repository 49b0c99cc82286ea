// std::condition_variable with a predicate.
//@ verdict: verified
//@ traces: 2
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

bool ready;
std::mutex m;
std::condition_variable c;

int main() {
    std::thread t([] {
        std::unique_lock<std::mutex> lock(m);
        c.wait(lock, [] { return ready; });
        assert(ready);
    });
    {
        std::lock_guard<std::mutex> guard(m);
        ready = true;
    }
    c.notify_one();
    t.join();
}
