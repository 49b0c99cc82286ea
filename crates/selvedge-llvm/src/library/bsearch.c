void *bsearch(const void *key, const void *base, unsigned long count, unsigned long size,
               int (*compare)(const void *, const void *)) {
    unsigned long low = 0, high = count;
    while (low < high) {
        unsigned long middle = low + (high - low) / 2;
        void *element = (unsigned char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0) return element;
        if (order < 0) high = middle; else low = middle + 1;
    }
    return 0;
}
