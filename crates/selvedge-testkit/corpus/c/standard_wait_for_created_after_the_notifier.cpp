// `wait_for` may end by its time limit although a notification comes later. The notifying thread is created first.
//@ verdict: violation assertion
//@ traces: 13
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
        if (!ready) c.wait_for(lock, std::chrono::seconds(1));
        assert(ready);
    });
    notifier.join();
    waiter.join();
}
