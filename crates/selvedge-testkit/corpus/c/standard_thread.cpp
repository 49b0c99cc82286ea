// std::thread, std::mutex, std::lock_guard.
//@ verdict: verified
//@ traces: 2
#include <cassert>
#include <mutex>
#include <thread>

int x;
std::mutex m;

void add(int n) {
    std::lock_guard<std::mutex> guard(m);
    x += n;
}

int main() {
    std::thread a(add, 1), b([] { add(2); });
    a.join();
    b.join();
    assert(x == 3);
}
