// The integer square root of 16 bits, digit by digit; a remainder below zero is made good by the next digit's addition
// rather than restored.
unsigned short INPUT_A_x;
unsigned char OUTPUT_root;

void isqrt(void) {
    int rest = 0, root = 0;
    for (int i = 7; i >= 0; i--) {
        int next = rest * 4 + (INPUT_A_x >> 2 * i & 3);
        rest = rest < 0 ? next + 4 * root + 3 : next - 4 * root - 1;
        root = 2 * root + (rest >= 0);
    }
    OUTPUT_root = root;
}
