long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
double strtod(const char *, char **);
int isspace(int);
int NAME(const char *text, const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    const char *at = text;
    int stored = 0;
    for (const char *f = format; *f; f++) {
        if (isspace((unsigned char)*f)) {
            while (isspace((unsigned char)*at)) at++;
            continue;
        }
        if (*f != '%') {
            if (*at != *f) goto end;
            at++;
            continue;
        }
        f++;
        int keep = 1, size = 0;
        long width = 0;
        if (*f == '*') { keep = 0; f++; }
        while (*f >= '0' && *f <= '9') width = width * 10 + (*f++ - '0');
        while (*f == 'l' || *f == 'h' || *f == 'z' || *f == 'j') size += *f++ == 'h' ? -1 : 1;
        if (*f != 'c' && *f != 'n' && *f != '%')
            while (isspace((unsigned char)*at)) at++;
        if (!*at && *f != 'n') {
            if (stored == 0) stored = -1;
            goto end;
        }
        char *after = (char *)at;
        switch (*f) {
        case '%':
            if (*at != '%') goto end;
            at++;
            break;
        case 'n':
            if (keep) *__builtin_va_arg(list, int *) = (int)(at - text);
            break;
        case 'c':
            if (width == 0) width = 1;
            char *characters = keep ? __builtin_va_arg(list, char *) : 0;
            for (long i = 0; i < width; i++) {
                if (!*at) goto end;
                if (keep) characters[i] = *at;
                at++;
            }
            stored += keep;
            break;
        case 's': {
            char *word = keep ? __builtin_va_arg(list, char *) : 0;
            long n = 0;
            while (*at && !isspace((unsigned char)*at) && (width == 0 || n < width)) {
                if (keep) word[n] = *at;
                n++;
                at++;
            }
            if (keep) word[n] = 0;
            stored += keep;
            break;
        }
        case 'f': case 'e': case 'g': {
            if (width) goto unknown;
            double number = strtod(at, &after);
            if (after == at) goto end;
            at = after;
            if (keep) {
                if (size > 0) *__builtin_va_arg(list, double *) = number;
                else *__builtin_va_arg(list, float *) = (float)number;
            }
            stored += keep;
            break;
        }
        case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': {
            if (width) goto unknown;
            int base = *f == 'i' ? 0 : *f == 'o' ? 8 : *f == 'x' || *f == 'X' ? 16 : 10;
            long number = *f == 'd' || *f == 'i' ? strtol(at, &after, base) : (long)strtoul(at, &after, base);
            if (after == at) goto end;
            at = after;
            if (keep) {
                if (size > 0) *__builtin_va_arg(list, long *) = number;
                else if (size == 0) *__builtin_va_arg(list, int *) = (int)number;
                else if (size == -1) *__builtin_va_arg(list, short *) = (short)number;
                else *__builtin_va_arg(list, char *) = (char)number;
            }
            stored += keep;
            break;
        }
        default:
        unknown: {
            void a_format_of_sscanf_that_is_not_supported(void);
            a_format_of_sscanf_that_is_not_supported();
        }
        }
    }
end:
    __builtin_va_end(list);
    return stored;
}
