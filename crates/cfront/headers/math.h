#ifndef TACIT_MATH_H
#define TACIT_MATH_H
#ifdef __cplusplus
extern "C" {
#endif
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_inf()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
float sqrtf(float x);
double sqrt(double x);
float fabsf(float x);
double fabs(double x);
float floorf(float x);
double floor(double x);
float ceilf(float x);
double ceil(double x);
float truncf(float x);
double trunc(double x);
float rintf(float x);
double rint(double x);
float nearbyintf(float x);
double nearbyint(double x);
float roundf(float x);
double round(double x);
float fminf(float x, float y);
double fmin(double x, double y);
float fmaxf(float x, float y);
double fmax(double x, double y);
float copysignf(float x, float y);
double copysign(double x, double y);
float fmaf(float x, float y, float z);
double fma(double x, double y, double z);
#ifdef __cplusplus
}
#endif
#endif
