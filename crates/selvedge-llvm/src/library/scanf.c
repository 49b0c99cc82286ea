// `scanf` of numbers and characters: whoever types may type anything, or nothing more. What else could be read is refused.
typedef __builtin_va_list list;
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
short __VERIFIER_nondet_short(void);
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
int getchar(void);

int NAME(const char *format, ...) {
    list arguments;
    int read = 0;
    __builtin_va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%' || at[1] == '%') {
            at += *at == '%';
            continue;
        }
        int is_skipped = at[1] == '*', bytes = 4;
        at += 1 + is_skipped;
        for (; *at == 'h' || *at == 'l'; at++) bytes = *at == 'l' ? 8 : bytes / 2;
        switch (*at) {
            case 'c': bytes = 1;
            case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': break;
            default: getchar();
        }
        if (__VERIFIER_nondet_bool()) return read == 0 && __VERIFIER_nondet_bool() ? -1 : read;
        if (is_skipped) continue;
        switch (bytes) {
            case 1: *__builtin_va_arg(arguments, char *) = __VERIFIER_nondet_char(); break;
            case 2: *__builtin_va_arg(arguments, short *) = __VERIFIER_nondet_short(); break;
            case 4: *__builtin_va_arg(arguments, int *) = __VERIFIER_nondet_int(); break;
            default: *__builtin_va_arg(arguments, long *) = __VERIFIER_nondet_long();
        }
        read++;
    }
    __builtin_va_end(arguments);
    return read;
}
