// An exception leaves a once flag unset: another thread, or another call, tries again.
//@ verdict: verified
//@ traces: 4
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::once_flag flag;
int tries;
std::atomic<int> caught;

void initialise() {
    if (tries++ == 0) throw 1;
}

void until_it_works() {
    for (;;) {
        try {
            std::call_once(flag, initialise);
            return;
        } catch (int) {
            caught++;
        }
    }
}

int main() {
    std::thread t(until_it_works);
    until_it_works();
    t.join();
    assert(tries == 2 && caught == 1);
}
