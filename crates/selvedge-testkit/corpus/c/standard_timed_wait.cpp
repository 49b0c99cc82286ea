// A wait with a limit may or may not take too long.
//@ verdict: violation assertion
//@ traces: 14
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex m;
std::condition_variable changed;
bool ready;

int main() {
    std::thread t([] {
        std::lock_guard<std::mutex> guard(m);
        ready = true;
        changed.notify_all();
    });
    {
        std::unique_lock<std::mutex> lock(m);
        assert(changed.wait_for(lock, std::chrono::seconds(1), [] { return ready; }));
    }
    t.join();
}
