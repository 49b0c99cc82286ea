// std::latch: nobody goes on before all have arrived.
//@ verdict: verified
//@ traces: 6
//@ cflags: -std=c++20
#include <cassert>
#include <latch>
#include <thread>
#include <vector>
int x[3];

int main() {
    std::latch all{3};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back([&all, i] {
            x[i] = 1;
            all.arrive_and_wait();
            assert(x[(i + 1) % 3] == 1);
        });
    }
    for (auto &thread : threads) thread.join();
}
