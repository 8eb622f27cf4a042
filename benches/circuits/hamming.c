// The Hamming distance of two strings of 32 * K bits, as in figure 3 of the paper on CBMC-GC.
unsigned INPUT_A_a[K];
unsigned INPUT_B_b[K];
int OUTPUT_hd;

static int popcount32(unsigned y) {
    unsigned x = y - ((y >> 1) & 0x55555555);
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    x += x >> 8;
    x += x >> 16;
    return x & 0x7f;
}

void hammingdistance(void) {
    int tmp = 0;
    for (int i = 0; i < K; i++)
        tmp += popcount32(INPUT_A_a[i] ^ INPUT_B_b[i]);
    OUTPUT_hd = tmp;
}
