// std::jthread joins itself.
//@ verdict: verified
//@ traces: 2
//@ cflags: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> n;

int main() {
    {
        std::jthread a([] { n++; }), b([](std::stop_token) { n++; });
    }
    assert(n == 2);
}
