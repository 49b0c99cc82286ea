// A left shift of a signed number into its sign.
//@ verdict: violation overflow
//@ traces: 1
//@ flags: --check overflow
int main(void) {
    volatile int places = 30;
    int one = 1;
    return one << places << 1;
}
