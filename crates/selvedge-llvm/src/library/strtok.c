char *strtok(char *text, const char *separators) {
    static char *rest;
    if (!text) text = rest;
    if (!text) return 0;
    for (; *text; text++) {
        const char *s = separators;
        while (*s && *s != *text) s++;
        if (!*s) break;
    }
    if (!*text) {
        rest = text;
        return 0;
    }
    char *end = text;
    for (; *end; end++) {
        const char *s = separators;
        while (*s && *s != *end) s++;
        if (*s) break;
    }
    if (*end) *end++ = 0;
    rest = end;
    return text;
}
