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
#ifdef __cplusplus
}
#endif
#endif
