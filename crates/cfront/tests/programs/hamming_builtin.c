// The same distance with the compiler's own population count, and bit by bit.
unsigned long INPUT_A_a[2];
unsigned long INPUT_B_b[2];
int OUTPUT_builtin;
int OUTPUT_bits;
int OUTPUT_zeros[4];

void hamming(void) {
    for (int i = 0; i < 2; i++) {
        OUTPUT_builtin += __builtin_popcountl(INPUT_A_a[i] ^ INPUT_B_b[i]);
        unsigned long rest = INPUT_A_a[i] ^ INPUT_B_b[i];
        while (rest) {
            OUTPUT_bits += rest & 1;
            rest >>= 1;
        }
    }
    unsigned x = INPUT_A_a[0] | 1u;
    OUTPUT_zeros[0] = __builtin_clz(x);
    OUTPUT_zeros[1] = __builtin_ctz(x << (INPUT_B_b[0] & 31) | 0x80000000u);
    OUTPUT_zeros[2] = __builtin_bswap32(x);
    OUTPUT_zeros[3] = __builtin_ctzl(INPUT_B_b[1] | 1ul << 63);
}
