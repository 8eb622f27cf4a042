#include <math.h>
#include <string.h>

unsigned INPUT_A_a;
unsigned INPUT_B_b;
unsigned long INPUT_A_x;
unsigned long INPUT_B_y;
int INPUT_A_i;
unsigned long INPUT_B_u;
unsigned OUTPUT_single[14];
unsigned long OUTPUT_wide[12];
int OUTPUT_flags;
long OUTPUT_whole;

struct pair {
    float first, second;
};

static struct pair swapped(struct pair p) {
    struct pair q = {p.second, -p.first};
    return q;
}

static void put(int at, float value) { memcpy(&OUTPUT_single[at], &value, sizeof value); }

static void put_wide(int at, double value) { memcpy(&OUTPUT_wide[at], &value, sizeof value); }

void f(void) {
    float a, b;
    double x, y;
    memcpy(&a, &INPUT_A_a, sizeof a);
    memcpy(&b, &INPUT_B_b, sizeof b);
    memcpy(&x, &INPUT_A_x, sizeof x);
    memcpy(&y, &INPUT_B_y, sizeof y);
    /* Which of two NaNs is the result depends on how the processor is used; so one operand is a number. */
    if (isnan(b))
        b = 1.5f;
    if (isnan(y))
        y = -0.1;
    put(0, a + b);
    put(1, a - b);
    put(2, a * b);
    put(3, a / b);
    put(4, sqrtf(a));
    put(5, floorf(a));
    put(6, fabsf(a));
    put(7, INPUT_A_i);
    put(8, INPUT_B_u);
    put(9, x);
    struct pair p = swapped((struct pair){a, b});
    put(10, p.first);
    put(11, p.second);
    put(12, copysignf(a, b));
    put(13, a < b ? ceilf(b) : truncf(b));
    put_wide(0, x + y);
    put_wide(1, x - y);
    put_wide(2, x * y);
    put_wide(3, x / y);
    put_wide(4, sqrt(x));
    put_wide(5, floor(x));
    put_wide(6, -x);
    put_wide(7, INPUT_A_i);
    put_wide(8, INPUT_B_u);
    put_wide(9, a);
    put_wide(10, rint(y));
    put_wide(11, x == y ? 1 : 2.5);
    OUTPUT_flags = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a >= b) << 4 | (a > b) << 5 |
                   (x < y) << 6 | !(x >= y) << 7 | isinf(x) << 8 | isnan(a) << 9 | (signbit(x) != 0) << 10;
    OUTPUT_whole = y > -1e15 && y < 1e15 ? (long)y : 0;
}
