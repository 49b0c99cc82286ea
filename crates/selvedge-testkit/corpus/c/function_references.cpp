// References to functions: with typed pointers a returned value has a type that begins with void.
//@ verdict: verified
//@ traces: 1
#include <cassert>
int x;
void add(int n) { x += n; }
typedef void F(int);
F& id(F& f) { return f; }
int main() { F* p = id(add); p(1); assert(x == 1); }
