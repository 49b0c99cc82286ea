// A map whose keys are pointers: what comes first in it depends on the order of objects in memory.
//@ verdict: violation assertion
//@ traces: 2
#include <cassert>
#include <map>

int main() {
    int x = 0, y = 0;
    std::map<int *, int> map;
    map[&x] = 1;
    map[&y] = 2;
    assert(map.size() == 2 && map[&x] == 1);
    assert(map.begin()->second == 1);
    return 0;
}
