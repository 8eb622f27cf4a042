#ifndef TACIT_STDLIB_H
#define TACIT_STDLIB_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#define _Noreturn [[noreturn]]
#endif
int abs(int value);
long labs(long value);
long long llabs(long long value);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void free(void *memory);
_Noreturn void abort(void);
_Noreturn void exit(int status);
#ifdef __cplusplus
#undef _Noreturn
}
#endif
#endif
