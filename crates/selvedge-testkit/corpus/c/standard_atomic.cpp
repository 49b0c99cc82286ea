// std::atomic, and a lost update.
//@ verdict: violation assertion
//@ traces: 4
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0};

void add() { x = x + 1; }

int main() {
    std::thread a(add), b(add);
    a.join();
    b.join();
    assert(x.load() == 2);
}
