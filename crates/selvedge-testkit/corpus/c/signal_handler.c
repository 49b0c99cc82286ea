// Handlers of signals are not supported; to ignore a signal is.
//@ verdict: inconclusive
//@ traces: 0
#include <signal.h>

void handler(int signal) {}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, handler);
    return 0;
}
