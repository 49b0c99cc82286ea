// Variables of a thread are destroyed when it ends.
//@ verdict: verified
//@ traces: 1
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> made, destroyed;

struct Counted {
    int number;
    Counted() : number(++made) {}
    ~Counted() { destroyed++; }
};

thread_local Counted of_all;

int uses() {
    thread_local Counted of_one;
    return of_one.number;
}

int main() {
    std::thread t([] {
        int first = uses();
        assert(first > 0 && first == uses() && of_all.number > 0 && destroyed == 0);
    });
    t.join();
    assert(made == 2 && destroyed == 2);
}
