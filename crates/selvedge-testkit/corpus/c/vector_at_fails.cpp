// A vector is asked for an element that it does not have, and nobody catches the exception.
//@ verdict: violation abort
//@ traces: 1
#include <vector>

int main() {
    std::vector<int> numbers(3);
    return numbers.at(7);
}
