// What C programs look up in tables of the library.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <ctype.h>

int main(void) {
    const char *text = "aZ 5_\t";
    int letters = 0, digits = 0, spaces = 0, marks = 0;
    for (const char *c = text; *c; c++) {
        letters += isalpha(*c) != 0;
        digits += isdigit(*c) != 0;
        spaces += isspace(*c) != 0;
        marks += ispunct(*c) != 0;
    }
    assert(letters == 2 && digits == 1 && spaces == 2 && marks == 1);
    for (int c = 0; c < 128; c++) {
        assert(!isalnum(c) == (!isalpha(c) && !isdigit(c)));
        assert(!isgraph(c) == (!isprint(c) || c == ' '));
        assert(tolower(toupper(c)) == (isupper(c) ? c + 32 : c));
        assert(!iscntrl(c) == (isprint(c) != 0));
    }
    return 0;
}
