// std::barrier: who completes a round runs the function.
//@ verdict: verified
//@ traces: 48
//@ cflags: -std=c++20
#include <barrier>
#include <cassert>
#include <thread>
int x[2], rounds;

int main() {
    auto complete = []() noexcept { rounds++; };
    std::barrier meet(2, complete);
    auto body = [&meet](int i) {
        for (int round = 1; round <= 2; round++) {
            x[i] = round;
            meet.arrive_and_wait();
            assert(x[1 - i] >= round && rounds >= round);
        }
    };
    std::thread a(body, 0), b(body, 1);
    a.join();
    b.join();
    assert(rounds == 2);
}
