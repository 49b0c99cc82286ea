// Trees, lists and hash tables of the C++ library: the parts that it keeps in its binary.
//@ verdict: verified
//@ traces: 1
//@ flags: --check leaks
#include <cassert>
#include <list>
#include <map>
#include <unordered_map>

int main() {
    unsigned seed = 1;
    std::map<int, int> map;
    bool in[12] = {};
    int n = 0;
    for (int i = 0; i < 60; i++) {
        seed = seed * 1103515245u + 12345u;
        int k = (seed >> 16) % 12;
        if (seed & 1024) {
            n -= map.erase(k);
            in[k] = false;
        } else {
            n += map.emplace(k, 2 * k).second;
            in[k] = true;
        }
        int last = -1, count = 0;
        for (auto &entry : map) {
            assert(entry.first > last && in[entry.first] && entry.second == 2 * entry.first);
            last = entry.first;
            count++;
        }
        for (auto entry = map.rbegin(); entry != map.rend(); ++entry) count++;
        assert(count == 2 * n);
    }
    std::list<int> list, other{100};
    for (int i = 0; i < 5; i++) {
        list.push_back(i);
        list.push_front(-i);
    }
    list.splice(list.begin(), other);
    list.remove(0);
    assert(list.size() == 9 && list.front() == 100 && other.empty());
    std::unordered_map<int, int> table;
    for (int i = 0; i < 30; i++) table[7 * i] = i;
    for (int i = 0; i < 30; i++) assert(table.at(7 * i) == i);
    assert(table.size() == 30 && !table.count(1));
}
