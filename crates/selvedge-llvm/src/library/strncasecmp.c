int tolower(int);
int strncasecmp(const char *a, const char *b, unsigned long size) {
    for (unsigned long i = 0; i < size; i++) {
        int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
        if (x != y) return x - y;
        if (!x) break;
    }
    return 0;
}
