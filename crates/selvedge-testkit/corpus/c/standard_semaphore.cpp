// std::counting_semaphore and std::latch of C++20.
//@ verdict: verified
//@ traces: 1
//@ cflags: -std=c++20
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>
std::counting_semaphore<4> semaphore{0};
std::latch latch{1};
int x, y;

int main() {
    std::thread t([] {
        x = 1;
        semaphore.release();
        y = 1;
        latch.count_down();
    });
    semaphore.acquire();
    assert(x == 1);
    latch.wait();
    assert(y == 1);
    t.join();
}
