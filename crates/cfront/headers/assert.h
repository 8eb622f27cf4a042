#include <stddef.h>
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#ifdef __cplusplus
extern "C" [[noreturn]] void __tacit_assert_fail(void);
#else
_Noreturn void __tacit_assert_fail(void);
#endif
#define assert(condition) ((condition) ? (void)0 : __tacit_assert_fail())
#endif
#if !defined(__cplusplus) && __STDC_VERSION__ < 202311L
#undef static_assert
#define static_assert _Static_assert
#endif
