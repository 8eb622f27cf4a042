// The integer square root of 16 bits, digit by digit.
unsigned short INPUT_A_x;
unsigned char OUTPUT_root;

void isqrt(void) {
    unsigned rest = 0, root = 0;
    for (int i = 7; i >= 0; i--) {
        rest = rest << 2 | (INPUT_A_x >> 2 * i & 3);
        root <<= 1;
        if (rest >= 2 * root + 1) {
            rest -= 2 * root + 1;
            root++;
        }
    }
    OUTPUT_root = root;
}
