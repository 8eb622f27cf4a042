// The Hamming distance of two strings of 32 * K bits, bit by bit.
unsigned INPUT_A_a[K];
unsigned INPUT_B_b[K];
int OUTPUT_hd;

void hammingdistance(void) {
    int count = 0;
    for (int i = 0; i < K; i++)
        for (int bit = 0; bit < 32; bit++)
            count += (INPUT_A_a[i] ^ INPUT_B_b[i]) >> bit & 1;
    OUTPUT_hd = count;
}
