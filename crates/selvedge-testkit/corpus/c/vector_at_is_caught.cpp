// A vector is asked for an element that it does not have, and the exception is caught.
//@ verdict: verified
//@ traces: 1
#include <stdexcept>
#include <vector>

int main() {
    std::vector<int> numbers(3);
    try {
        return numbers.at(7);
    } catch (const std::out_of_range &) {
        return 0;
    }
}
