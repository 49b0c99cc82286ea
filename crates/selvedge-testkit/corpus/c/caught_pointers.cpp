// Which handlers a pointer fits.
//@ verdict: verified
//@ traces: 1
#include <cassert>
int number;

int main() {
    int caught = 0;
    try {
        throw &number;
    } catch (long *) {
        caught = 1;
    } catch (int *) {
        caught = 2;
    }
    assert(caught == 2);
    try {
        throw static_cast<const int *>(&number);
    } catch (void *) {
        caught = 3;
    } catch (const void *) {
        caught = 4;
    }
    assert(caught == 4);
    try {
        throw nullptr;
    } catch (int *pointer) {
        caught = pointer == nullptr ? 5 : 6;
    }
    assert(caught == 5);
}
