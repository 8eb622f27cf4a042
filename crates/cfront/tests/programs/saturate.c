// Idioms that compilers turn into special functions.
#include <stdlib.h>
int INPUT_A_x;
int INPUT_B_y;
unsigned char INPUT_A_c, INPUT_B_c;
int OUTPUT_clamped, OUTPUT_absolute, OUTPUT_greatest, OUTPUT_sign;
unsigned OUTPUT_rotated, OUTPUT_least;
unsigned char OUTPUT_sum, OUTPUT_difference;
_Bool OUTPUT_overflow[3];

void saturate(void) {
    OUTPUT_clamped = INPUT_A_x < -100 ? -100 : INPUT_A_x > 100 ? 100 : INPUT_A_x;
    OUTPUT_absolute = abs(INPUT_A_x);
    OUTPUT_greatest = INPUT_A_x > INPUT_B_y ? INPUT_A_x : INPUT_B_y;
    OUTPUT_least = (unsigned)INPUT_A_x < (unsigned)INPUT_B_y ? INPUT_A_x : INPUT_B_y;
    OUTPUT_sign = (INPUT_A_x > INPUT_B_y) - (INPUT_A_x < INPUT_B_y);
    unsigned n = INPUT_B_y & 31;
    unsigned x = INPUT_A_x;
    OUTPUT_rotated = (x << n | x >> (-n & 31)) ^ (x >> 7 | x << 25);
    int sum = INPUT_A_c + INPUT_B_c;
    OUTPUT_sum = sum > 255 ? 255 : sum;
    OUTPUT_difference = INPUT_A_c > INPUT_B_c ? INPUT_A_c - INPUT_B_c : 0;
    int result;
    OUTPUT_overflow[0] = __builtin_add_overflow(INPUT_A_x, INPUT_B_y, &result);
    OUTPUT_overflow[1] = __builtin_mul_overflow(INPUT_A_x, INPUT_B_y, &result);
    OUTPUT_overflow[2] = __builtin_sub_overflow(x, (unsigned)INPUT_B_y, (unsigned *)&result);
}
