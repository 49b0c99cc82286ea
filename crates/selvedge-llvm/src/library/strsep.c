char *strsep(char **text, const char *separators) {
    char *start = *text;
    if (!start) return 0;
    for (char *end = start; *end; end++) {
        for (const char *s = separators; *s; s++) {
            if (*s == *end) {
                *end = 0;
                *text = end + 1;
                return start;
            }
        }
    }
    *text = 0;
    return start;
}
