// std::list: sorted, swapped, turned around, spliced.
//@ verdict: verified
//@ traces: 1
#include <cassert>
#include <list>

int main() {
    std::list<int> numbers{3, 1, 2}, none, more{7, 8};
    numbers.sort();
    assert(numbers.front() == 1 && numbers.back() == 3);
    numbers.swap(none);
    assert(numbers.empty() && none.size() == 3);
    none.reverse();
    assert(none.front() == 3 && none.back() == 1);
    none.swap(more);
    assert(none.back() == 8 && more.front() == 3);
    more.splice(more.begin(), none);
    assert(more.size() == 5 && more.front() == 7 && none.empty());
}
