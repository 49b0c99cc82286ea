// std::lock of locks that are not taken yet, and of three mutexes; one of them is taken alone elsewhere.
//@ verdict: verified
//@ traces: 4
//@ cflags: -O1
#include <cassert>
#include <mutex>
#include <thread>

std::mutex a, b, c;
int x, y;

void two() {
    std::unique_lock<std::mutex> first(a, std::defer_lock), second(b, std::defer_lock);
    std::lock(first, second);
    assert(first.owns_lock() && second.owns_lock());
    x++;
}

void three() {
    std::lock(b, c, a);
    x++, y++;
    a.unlock();
    b.unlock();
    c.unlock();
}

int main() {
    std::thread t(two), u(three);
    {
        std::lock_guard<std::mutex> alone(c);
        y++;
    }
    t.join();
    u.join();
    assert(x == 2 && y == 2);
}
