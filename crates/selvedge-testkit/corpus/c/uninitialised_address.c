// An address depends on an uninitialised value.
//@ verdict: violation uninitialised-use
//@ traces: 1
int main(void) {
    int x = 1;
    int *p, *q = &x;
    if (*q == 2) p = q;
    return *p;
}
