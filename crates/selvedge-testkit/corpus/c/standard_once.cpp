// std::call_once.
//@ verdict: verified
//@ traces: 2
#include <cassert>
#include <mutex>
#include <thread>
std::once_flag flag;
int n;

void f() {
    std::call_once(flag, [] { n++; });
    assert(n == 1);
}

int main() {
    std::thread a(f), b(f);
    a.join();
    b.join();
}
