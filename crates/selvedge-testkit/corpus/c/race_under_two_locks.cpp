// Locks taken together order only those who take one of the same.
//@ verdict: violation data-race
//@ traces: 2
//@ flags: --check races
//@ cflags: -std=c++17
#include <mutex>
#include <thread>

std::mutex a, b, c, d;
int x;

int main() {
    std::thread t([] {
        std::scoped_lock lock(a, b);
        x = 1;
    });
    {
        std::scoped_lock lock(c, d);
        x = 2;
    }
    t.join();
}
