/* The functions of string.h. WANT_name compiles the function `name` alone, so that a program's own are left alone.
   Loops end where the memory that they read ends. */
typedef __SIZE_TYPE__ size_t;
typedef unsigned char byte;

#ifdef WANT_strlen
size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
#endif

#ifdef WANT_strnlen
size_t strnlen(const char *text, size_t most) {
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return length;
}
#endif

#ifdef WANT_strcmp
int strcmp(const char *a, const char *b) {
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    return (int)(byte)a[at] - (int)(byte)b[at];
}
#endif

#ifdef WANT_strncmp
int strncmp(const char *a, const char *b, size_t most) {
    for (size_t at = 0; at < most; at++)
        if (!a[at] || a[at] != b[at])
            return (int)(byte)a[at] - (int)(byte)b[at];
    return 0;
}
#endif

#ifdef WANT_strcpy
char *strcpy(char *restrict to, const char *restrict from) {
    size_t at = 0;
    while ((to[at] = from[at]))
        at++;
    return to;
}
#endif

#ifdef WANT_stpcpy
char *stpcpy(char *restrict to, const char *restrict from) {
    size_t at = 0;
    while ((to[at] = from[at]))
        at++;
    return to + at;
}
#endif

#ifdef WANT_strncpy
char *strncpy(char *restrict to, const char *restrict from, size_t count) {
    _Bool ended = 0;
    for (size_t at = 0; at < count; at++) {
        char next = 0;
        if (!ended)
            next = from[at];
        ended = !next;
        to[at] = next;
    }
    return to;
}
#endif

#ifdef WANT_strcat
char *strcat(char *restrict to, const char *restrict from) {
    size_t end = 0, at = 0;
    while (to[end])
        end++;
    while ((to[end + at] = from[at]))
        at++;
    return to;
}
#endif

#ifdef WANT_strncat
char *strncat(char *restrict to, const char *restrict from, size_t most) {
    size_t end = 0, at = 0;
    while (to[end])
        end++;
    while (at < most && from[at]) {
        to[end + at] = from[at];
        at++;
    }
    to[end + at] = 0;
    return to;
}
#endif

#if defined WANT_strchr || defined WANT_index
#ifdef WANT_index
#define strchr index
#endif
char *strchr(const char *text, int character) {
    size_t at = 0;
    while (text[at] != (char)character) {
        if (!text[at])
            return 0;
        at++;
    }
    return (char *)text + at;
}
#endif

#if defined WANT_strrchr || defined WANT_rindex
#ifdef WANT_rindex
#define strrchr rindex
#endif
char *strrchr(const char *text, int character) {
    const char *found = 0;
    size_t at = 0;
    for (;;) {
        if (text[at] == (char)character)
            found = text + at;
        if (!text[at])
            return (char *)found;
        at++;
    }
}
#endif

#ifdef WANT_memchr
void *memchr(const void *memory, int value, size_t bytes) {
    const byte *from = memory;
    for (size_t at = 0; at < bytes; at++)
        if (from[at] == (byte)value)
            return (void *)(from + at);
    return 0;
}
#endif

#ifdef WANT_strspn
size_t strspn(const char *text, const char *accepted) {
    size_t length = 0;
    for (; text[length]; length++) {
        _Bool found = 0;
        for (size_t at = 0; accepted[at]; at++)
            found |= accepted[at] == text[length];
        if (!found)
            break;
    }
    return length;
}
#endif

#ifdef WANT_strcspn
size_t strcspn(const char *text, const char *rejected) {
    size_t length = 0;
    for (; text[length]; length++)
        for (size_t at = 0; rejected[at]; at++)
            if (rejected[at] == text[length])
                return length;
    return length;
}
#endif

#ifdef WANT_strpbrk
char *strpbrk(const char *text, const char *wanted) {
    for (; *text; text++)
        for (size_t at = 0; wanted[at]; at++)
            if (wanted[at] == *text)
                return (char *)text;
    return 0;
}
#endif

#ifdef WANT_strstr
char *strstr(const char *text, const char *part) {
    for (;; text++) {
        size_t at = 0;
        while (part[at] && text[at] == part[at])
            at++;
        if (!part[at])
            return (char *)text;
        if (!text[at])
            return 0;
    }
}
#endif

#ifdef WANT_mempcpy
void *mempcpy(void *restrict to, const void *restrict from, size_t bytes) {
    __builtin_memcpy(to, from, bytes);
    return (byte *)to + bytes;
}
#endif

#ifdef WANT_bzero
void bzero(void *memory, size_t bytes) { __builtin_memset(memory, 0, bytes); }
#endif

#ifdef WANT_bcopy
void bcopy(const void *from, void *to, size_t bytes) { __builtin_memmove(to, from, bytes); }
#endif
