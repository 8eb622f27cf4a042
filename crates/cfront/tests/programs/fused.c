#include <math.h>

double INPUT_A_x, INPUT_B_y, INPUT_B_z;
float INPUT_A_a, INPUT_B_b, INPUT_B_c;
double OUTPUT_fused[2];
float OUTPUT_single[2];

/* What is no number has one form, since which of several NaNs results is open. */
static double plain(double value) { return isnan(value) ? 0.5 : value; }
static float plainf(float value) { return isnan(value) ? 0.5f : value; }

void f(void) {
    OUTPUT_fused[0] = plain(fma(INPUT_A_x, INPUT_B_y, INPUT_B_z));
    /* The rounding error of a product. */
    OUTPUT_fused[1] = plain(fma(INPUT_A_x, INPUT_B_y, -(INPUT_A_x * INPUT_B_y)));
    OUTPUT_single[0] = plainf(fmaf(INPUT_A_a, INPUT_B_b, INPUT_B_c));
    OUTPUT_single[1] = plainf(__builtin_fmaf(INPUT_A_a, INPUT_B_b, -(INPUT_A_a * INPUT_B_b)));
}
