long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
double strtod(const char *, char **);
float strtof(const char *, char **);
int isspace(int);
#define SELVEDGE_MOST_DIGITS 100
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
            if (!*at) goto exhausted;
            if (*at != *f) goto end;
            at++;
            continue;
        }
        f++;
        int keep = 1, size = 0;
        long width = 0;
        if (*f == '*') { keep = 0; f++; }
        while (*f >= '0' && *f <= '9') width = width * 10 + (*f++ - '0');
        while (*f == 'l' || *f == 'h' || *f == 'z' || *f == 'j' || *f == 't') size += *f++ == 'h' ? -1 : 1;
        if (*f != 'c' && *f != 'n' && *f != '[')
            while (isspace((unsigned char)*at)) at++;
        if (!*at && *f != 'n') goto exhausted;
        // Of a number with a width only so many characters count.
        char start[SELVEDGE_MOST_DIGITS + 1];
        const char *number_at = at;
        if (width > 0 && *f != 's' && *f != 'c' && *f != '[') {
            long n = 0;
            while (at[n] && n < width && n < SELVEDGE_MOST_DIGITS) {
                start[n] = at[n];
                n++;
            }
            start[n] = 0;
            number_at = start;
        }
        char *after = (char *)number_at;
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
                if (!*at) break;
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
        case 'f': case 'e': case 'g': case 'F': case 'E': case 'G': case 'a': {
            if (width > SELVEDGE_MOST_DIGITS) goto unknown;
            double number = size > 0 ? strtod(number_at, &after) : strtof(number_at, &after);
            if (after == number_at || (after[-1] == '0' && (*after == 'x' || *after == 'X'))) goto end;
            // An exponent is read even if it has no digits.
            if ((*after == 'e' || *after == 'E') && (after[-1] == '.' || (after[-1] >= '0' && after[-1] <= '9'))) {
                after++;
                if (*after == '+' || *after == '-') after++;
            }
            at += after - number_at;
            if (keep) {
                if (size > 0) *__builtin_va_arg(list, double *) = number;
                else *__builtin_va_arg(list, float *) = (float)number;
            }
            stored += keep;
            break;
        }
        case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': {
            if (width > SELVEDGE_MOST_DIGITS) goto unknown;
            int base = *f == 'i' ? 0 : *f == 'o' ? 8 : *f == 'x' || *f == 'X' ? 16 : 10;
            long number = *f == 'd' || *f == 'i' ? strtol(number_at, &after, base) : (long)strtoul(number_at, &after, base);
            if (after == number_at) goto end;
            // A prefix is read even if no digit comes after it.
            if ((base == 0 || base == 16) && after[-1] == '0' && (*after == 'x' || *after == 'X')
                && (after - 1 == number_at || (after - 2 == number_at && (number_at[0] == '-' || number_at[0] == '+'))))
                after++;
            at += after - number_at;
            if (keep) {
                if (size > 0) *__builtin_va_arg(list, long *) = number;
                else if (size == 0) *__builtin_va_arg(list, int *) = (int)number;
                else if (size == -1) *__builtin_va_arg(list, short *) = (short)number;
                else *__builtin_va_arg(list, char *) = (char)number;
            }
            stored += keep;
            break;
        }
        case '[': {
            char *word = keep ? __builtin_va_arg(list, char *) : 0;
            int is_outside = f[1] == '^';
            const char *set = f + 1 + is_outside, *last = set;
            if (*last == ']') last++;
            while (*last && *last != ']') last++;
            long n = 0;
            for (; *at && (width == 0 || n < width); at++, n++) {
                int is_in = 0;
                for (const char *c = set; c < last; c++) {
                    if (c[1] == '-' && c + 2 < last) {
                        is_in |= (unsigned char)c[0] <= (unsigned char)*at && (unsigned char)*at <= (unsigned char)c[2];
                        c += 2;
                    } else is_in |= *c == *at;
                }
                if (is_in == is_outside) break;
                if (keep) word[n] = *at;
            }
            f = last;
            if (n == 0) goto end;
            if (keep) word[n] = 0;
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
    goto end;
exhausted:
    if (stored == 0) stored = -1;
end:
    __builtin_va_end(list);
    return stored;
}
