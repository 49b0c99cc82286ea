// A std::condition_variable ends while a thread waits for it.
//@ verdict: violation misuse, use-after-free
//@ traces: 4
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

std::mutex m;
bool waits;

int main() {
    auto changed = std::make_unique<std::condition_variable>();
    std::thread t([&c = *changed] {
        std::unique_lock<std::mutex> lock(m);
        waits = true;
        c.wait(lock);
    });
    m.lock();
    bool is_waiting = waits;
    m.unlock();
    if (is_waiting) changed.reset();
    t.detach();
}
