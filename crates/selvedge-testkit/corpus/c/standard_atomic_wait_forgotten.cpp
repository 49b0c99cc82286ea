// Who changes an atomic variable must notify those that wait for it.
//@ verdict: violation deadlock
//@ traces: 3
//@ cflags: -std=c++20
#include <atomic>
#include <thread>
std::atomic<int> ready{0};

int main() {
    std::thread t([] { ready.wait(0); });
    ready = 1;
    t.join();
}
