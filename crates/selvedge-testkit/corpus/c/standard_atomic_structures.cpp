// std::atomic of a structure and of a number with a point.
//@ verdict: verified
//@ traces: 12
//@ cflags: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

struct Pair {
    long up, down;
};
std::atomic<Pair> pair{Pair{0, 0}};
std::atomic<double> half{0};

int main() {
    std::thread t([] {
        Pair old = pair.load();
        while (!pair.compare_exchange_strong(old, Pair{old.up + 1, old.down - 1})) {
        }
        half.fetch_add(0.5);
    });
    pair.store(Pair{3, -3});
    half.fetch_add(0.25);
    t.join();
    Pair last = pair.exchange(Pair{7, 8});
    assert(last.up == -last.down && last.up >= 3);
    assert(half == 0.75 && pair.load().down == 8);
}
