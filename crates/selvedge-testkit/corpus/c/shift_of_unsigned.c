// A left shift of an unsigned number may lose bits.
//@ verdict: verified
//@ traces: 1
//@ flags: --check overflow
int main(void) {
    volatile int places = 31;
    unsigned three = 3;
    return (three << places) == 0;
}
