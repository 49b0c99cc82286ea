// The destructor of a global object runs after main.
//@ verdict: violation assertion
//@ traces: 1
#include <cassert>
struct Watch {
    int value = 0;
    ~Watch() { assert(value == 0); }
};
Watch watch;

int main() {
    watch.value = 1;
    return 0;
}
