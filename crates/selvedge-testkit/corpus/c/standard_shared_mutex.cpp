// std::shared_mutex and std::scoped_lock.
//@ verdict: verified
//@ traces: 2
//@ cflags: -std=c++17
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>
std::shared_mutex m;
int x;

int main() {
    std::thread reader([] {
        std::shared_lock<std::shared_mutex> lock(m);
        int y = x;
        assert(y == x);
    });
    {
        std::scoped_lock<std::shared_mutex> lock(m);
        x++;
        x++;
    }
    reader.join();
}
