// The Hamming distance of two bit strings, in the style of the paper's third figure.
#define WORDS 5
unsigned INPUT_A_a[WORDS];
unsigned INPUT_B_b[WORDS];
int OUTPUT_distance;

static int ones(unsigned y) {
    unsigned x = y - ((y >> 1) & 0x55555555);
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    x += x >> 8;
    x += x >> 16;
    return x & 0x7f;
}

void hamming(void) {
    int distance = 0;
    for (int i = 0; i < WORDS; i++)
        distance += ones(INPUT_A_a[i] ^ INPUT_B_b[i]);
    OUTPUT_distance = distance;
}
