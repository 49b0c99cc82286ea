// A lock that spins with a compare-exchange; what it expects is a variable in memory.
//@ verdict: verified
//@ traces: 4
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> taken{0};
int count;

void lock() {
    int expected = 0;
    while (!taken.compare_exchange_strong(expected, 1)) expected = 0;
}

int main() {
    auto body = [] {
        lock();
        count++;
        taken.store(0);
    };
    std::thread a(body), b(body);
    a.join();
    b.join();
    assert(count == 2);
}
