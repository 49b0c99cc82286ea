unsigned long strspn(const char *text, const char *set) {
    unsigned long n = 0;
    for (; text[n]; n++) {
        const char *s = set;
        while (*s && *s != text[n]) s++;
        if (!*s) break;
    }
    return n;
}
