// With a predicate `wait_for` returns false when its time is over and the predicate does not hold.
//@ verdict: violation assertion
//@ traces: 14
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
    bool ready = false;
    std::mutex m;
    std::condition_variable c;
    std::thread notifier([&] {
        std::lock_guard<std::mutex> guard(m);
        ready = true;
        c.notify_one();
    });
    std::thread waiter([&] {
        std::unique_lock<std::mutex> lock(m);
        bool in_time = c.wait_for(lock, std::chrono::seconds(1), [&] { return ready; });
        assert(in_time);
    });
    notifier.join();
    waiter.join();
}
