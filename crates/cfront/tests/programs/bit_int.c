// Integers of odd widths.
_BitInt(7) INPUT_A_a;
_BitInt(7) INPUT_B_a;
unsigned _BitInt(37) INPUT_A_b[3];
unsigned _BitInt(37) INPUT_B_b;
_BitInt(100) INPUT_A_c;
_BitInt(100) INPUT_B_c;
_BitInt(7) OUTPUT_a[3];
unsigned _BitInt(37) OUTPUT_b[4];
_BitInt(100) OUTPUT_c[3];
_BitInt(19) OUTPUT_mixed;

void odd(void) {
    OUTPUT_a[0] = INPUT_A_a + INPUT_B_a;
    OUTPUT_a[1] = INPUT_A_a * INPUT_B_a;
    OUTPUT_a[2] = INPUT_A_a < INPUT_B_a ? INPUT_A_a : INPUT_B_a;
    OUTPUT_b[3] = 0;
    for (int i = 0; i < 3; i++) {
        OUTPUT_b[i] = INPUT_A_b[i] * INPUT_B_b + i;
        OUTPUT_b[3] ^= INPUT_A_b[i] >> (unsigned)(INPUT_B_b & 31);
    }
    OUTPUT_c[0] = INPUT_A_c - INPUT_B_c;
    OUTPUT_c[1] = INPUT_A_c ^ (INPUT_B_c << 3);
    OUTPUT_c[2] = INPUT_A_c > INPUT_B_c;
    OUTPUT_mixed = (_BitInt(19))INPUT_A_c + INPUT_B_a;
}
