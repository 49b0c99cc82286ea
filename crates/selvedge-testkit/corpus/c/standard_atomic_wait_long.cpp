// Waiting for an atomic variable to change.
//@ verdict: verified
//@ traces: 3
//@ cflags: -std=c++20
//@ flags: --check races
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<long> ready{0};
int x;

int main() {
    std::thread t([] {
        ready.wait(0);
        assert(x == 1);
    });
    x = 1;
    ready = 1;
    ready.notify_one();
    t.join();
}
