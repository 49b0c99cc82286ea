// What is written to std::cout is captured.
//@ verdict: verified
//@ traces: 2
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
std::mutex m;

int main() {
    std::thread t([] {
        std::lock_guard<std::mutex> guard(m);
        std::cout << "hello " << 42 << ' ' << 1.5 << std::endl;
    });
    {
        std::lock_guard<std::mutex> guard(m);
        std::string name = "world";
        std::cout << name << "\n" << true << 7u << -3L;
    }
    t.join();
}
