// A static local variable that two threads want first.
//@ verdict: verified
//@ traces: 6
#include <cassert>
#include <thread>

struct Three {
    int value;
    Three() : value(3) {}
};

int three() {
    static Three made;
    return made.value;
}

int main() {
    std::thread other([] { three(); });
    assert(three() == 3);
    other.join();
}
