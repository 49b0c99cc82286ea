void qsort(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *)) {
    unsigned char *bytes = base;
    for (unsigned long i = 1; i < count; i++)
        for (unsigned long j = i; j > 0 && compare(bytes + (j - 1) * size, bytes + j * size) > 0; j--)
            for (unsigned long k = 0; k < size; k++) {
                unsigned char byte = bytes[j * size + k];
                bytes[j * size + k] = bytes[(j - 1) * size + k];
                bytes[(j - 1) * size + k] = byte;
            }
}
