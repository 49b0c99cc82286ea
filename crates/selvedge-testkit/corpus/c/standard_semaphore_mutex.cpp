// std::binary_semaphore as a mutex.
//@ verdict: verified
//@ traces: 6
//@ cflags: -std=c++20
#include <cassert>
#include <semaphore>
#include <thread>
#include <vector>
int count;

int main() {
    std::binary_semaphore free{1};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back([&free] {
            free.acquire();
            count++;
            free.release();
        });
    }
    for (auto &thread : threads) thread.join();
    assert(count == 3);
}
