char *strpbrk(const char *text, const char *set) {
    for (; *text; text++)
        for (const char *s = set; *s; s++)
            if (*s == *text) return (char *)text;
    return 0;
}
