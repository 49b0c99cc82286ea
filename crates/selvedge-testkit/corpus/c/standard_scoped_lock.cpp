// std::scoped_lock of two mutexes, in opposite orders: no deadlock, and no rounds.
//@ verdict: verified
//@ traces: 2
//@ cflags: -std=c++17
#include <cassert>
#include <mutex>
#include <thread>

std::mutex a, b;
int x;

int main() {
    std::thread t([] {
        std::scoped_lock lock(a, b);
        x++;
    });
    {
        std::scoped_lock lock(b, a);
        x++;
    }
    t.join();
    assert(x == 2);
}
