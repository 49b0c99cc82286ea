// Containers, strings, smart pointers and functions, filled by two threads.
//@ verdict: verified
//@ traces: 2
//@ flags: --check leaks
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

int main() {
    std::mutex m;
    std::map<std::string, int> found;
    auto total = std::make_shared<int>(0);
    std::function<void(const std::string &, int)> add = [&](const std::string &name, int k) {
        std::lock_guard<std::mutex> guard(m);
        found[name] = k;
        *total += k;
    };
    std::vector<std::thread> threads;
    threads.emplace_back(add, "one", 1);
    threads.emplace_back(add, std::string("two"), 2);
    for (auto &thread : threads) thread.join();
    assert(found.size() == 2 && found["two"] == 2 && *total == 3);
    auto own = std::make_unique<int>(4);
    assert(*own == 4);
}
