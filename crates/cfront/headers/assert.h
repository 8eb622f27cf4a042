#include <stddef.h>
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
_Noreturn void __tacit_assert_fail(void);
#define assert(condition) ((condition) ? (void)0 : __tacit_assert_fail())
#endif
#if __STDC_VERSION__ < 202311L
#undef static_assert
#define static_assert _Static_assert
#endif
