// Quotients and remainders, signed and not, by secrets and by constants.
int INPUT_A_a;
int INPUT_B_b;
short INPUT_A_s;
short INPUT_B_s;
unsigned long INPUT_A_l;
unsigned char INPUT_B_l;
__int128 INPUT_A_w;
long INPUT_B_w;
int OUTPUT_signed[4];
unsigned OUTPUT_unsigned[4];
int OUTPUT_constant[12];
short OUTPUT_short[2];
unsigned long OUTPUT_long[2];
__int128 OUTPUT_wide[2];

void divide(void) {
    int a = INPUT_A_a, b = INPUT_B_b;
    if (b == 0 || (b == -1 && a < -2147483647))
        b = 3;
    OUTPUT_signed[0] = a / b;
    OUTPUT_signed[1] = a % b;
    OUTPUT_signed[2] = (a & 255) / ((b & 15) + 1);
    OUTPUT_signed[3] = (a % 100) / (b % 10 - 11);
    unsigned u = a, v = b;
    OUTPUT_unsigned[0] = u / v;
    OUTPUT_unsigned[1] = u % v;
    OUTPUT_unsigned[2] = u / ((v & 7) | 1);
    OUTPUT_unsigned[3] = (u & 3) / ((v & 7) + 4);
    int divisors[] = {1, -1, 2, -2, 8, -16, 7, 10, 1 << 30};
    for (int i = 0; i < 9; i++)
        OUTPUT_constant[i] = (i == 1 ? a | 1 : a) / divisors[i];
    OUTPUT_constant[9] = a % 8;
    OUTPUT_constant[10] = a % -16;
    OUTPUT_constant[11] = a % 10;
    short s = INPUT_B_s ? INPUT_B_s : 1;
    OUTPUT_short[0] = INPUT_A_s / s;
    OUTPUT_short[1] = INPUT_A_s % s;
    OUTPUT_long[0] = INPUT_A_l / (INPUT_B_l + 1ul);
    OUTPUT_long[1] = INPUT_A_l % (INPUT_B_l + 1ul);
    long w = INPUT_B_w ? INPUT_B_w : 5;
    __int128 x = w == -1 ? INPUT_A_w >> 1 : INPUT_A_w;
    OUTPUT_wide[0] = x / w;
    OUTPUT_wide[1] = x % w;
}
