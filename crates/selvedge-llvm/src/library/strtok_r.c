char *strtok_r(char *text, const char *separators, char **rest) {
    if (!text) text = *rest;
    for (; *text; text++) {
        const char *s = separators;
        while (*s && *s != *text) s++;
        if (!*s) break;
    }
    if (!*text) {
        *rest = text;
        return 0;
    }
    char *end = text;
    for (; *end; end++) {
        const char *s = separators;
        while (*s && *s != *end) s++;
        if (*s) break;
    }
    if (*end) *end++ = 0;
    *rest = end;
    return text;
}
