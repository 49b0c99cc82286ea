// `qsort` of pointers: the library exchanges them byte by byte, and they are addresses again afterwards.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct person {
    const char *name;
    int age;
};

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name);
}

int main(void) {
    const char *fruits[] = {"pear", "apple", "fig", "banana"};
    qsort(fruits, 4, sizeof *fruits, by_text);
    assert(!strcmp(fruits[0], "apple") && !strcmp(fruits[1], "banana") && !strcmp(fruits[3], "pear"));
    struct person people[] = {{"zoe", 1}, {"adam", 2}, {"mia", 3}};
    qsort(people, 3, sizeof *people, by_name);
    assert(people[0].age == 2 && people[1].age == 3 && people[2].age == 1);
    return 0;
}
