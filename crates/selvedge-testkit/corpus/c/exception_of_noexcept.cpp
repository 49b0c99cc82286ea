// What throws out of a function that must not ends the program.
//@ verdict: violation abort
//@ traces: 1
void f() noexcept { throw 1; }
int main() {
    try {
        f();
    } catch (int) {
    }
}
