// qsort and bsearch call back.
//@ verdict: verified
//@ traces: 1
#include <stdlib.h>
#include <assert.h>

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    int numbers[6] = {5, 3, 9, -1, 3, 0};
    qsort(numbers, 6, sizeof(int), compare);
    for (int i = 1; i < 6; i++) assert(numbers[i - 1] <= numbers[i]);
    int key = 9, missing = 4;
    assert(bsearch(&key, numbers, 6, sizeof(int), compare) == &numbers[5]);
    assert(bsearch(&missing, numbers, 6, sizeof(int), compare) == 0);
    return 0;
}
