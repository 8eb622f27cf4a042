#ifndef TACIT_H
#define TACIT_H
#ifdef __cplusplus
extern "C" {
typedef bool tacit_condition;
#else
typedef _Bool tacit_condition;
#endif
void tacit_assume(tacit_condition holds);
void __CPROVER_assume(tacit_condition holds);
/* A role that gives no inputs, declared outside of functions. */
#define TACIT_ROLE(name) __attribute__((weak)) char TACIT_ROLE_##name
#ifdef __cplusplus
}
#endif
#endif
