// An exception that nobody catches ends the program.
//@ verdict: violation abort
//@ traces: 1
#include <stdexcept>
int main() {
    try {
        throw std::runtime_error("oops");
    } catch (const std::logic_error &) {
    }
}
