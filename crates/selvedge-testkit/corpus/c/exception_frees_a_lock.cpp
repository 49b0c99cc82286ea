// A lock guard frees its mutex when an exception passes, and the handler can take it again.
//@ verdict: verified
//@ traces: 3
#include <cassert>
#include <mutex>
#include <thread>
std::mutex m;
int x;

int main() {
    std::thread t([] {
        try {
            std::lock_guard<std::mutex> guard(m);
            x++;
            throw 1;
        } catch (int) {
            std::lock_guard<std::mutex> guard(m);
            x++;
        }
    });
    {
        std::lock_guard<std::mutex> guard(m);
        x++;
    }
    t.join();
    assert(x == 3);
}
