// `std::string` compares addresses to find out whether its argument is a part of itself: that is the same in every layout.
//@ verdict: verified
//@ traces: 1
#include <cassert>
#include <string>

int main() {
    std::string a = "a text that is too long for the object itself";
    std::string b = a;
    b += a;
    b.insert(0, a.c_str());
    b.replace(0, 6, b.c_str() + 7, 4);
    assert(b.substr(0, 4) == "that");
    a.assign(b, 0, 4);
    assert(a == "that");
    return 0;
}
