// An exception must not leave the function of a thread, but may leave what holds a lock.
//@ verdict: violation abort
//@ traces: 2
#include <mutex>
#include <thread>
std::mutex m;
bool stop;

int main() {
    std::thread t([] {
        std::lock_guard<std::mutex> guard(m);
        if (stop) throw 1;
    });
    {
        std::lock_guard<std::mutex> guard(m);
        stop = true;
    }
    t.join();
}
