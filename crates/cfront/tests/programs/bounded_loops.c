// Loops whose number of iterations is secret but bounded in different ways.
unsigned char INPUT_A_count;
int INPUT_A_values[10];
unsigned INPUT_B_n;
int OUTPUT_sum;
int OUTPUT_first;
unsigned OUTPUT_root;
unsigned OUTPUT_divisor;
int OUTPUT_limited;

void loops(void) {
    for (int i = 0; i < INPUT_A_count && i < 10; i++)
        OUTPUT_sum += INPUT_A_values[i];

    OUTPUT_first = -1;
    for (int i = 0; i < 10; i++) {
        if (INPUT_A_values[i] < 0) {
            OUTPUT_first = i;
            break;
        }
    }

    unsigned n = INPUT_B_n & 0xffff, root = 0;
    for (unsigned bit = 1u << 7; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= n)
            root |= bit;
    OUTPUT_root = root;

    unsigned a = INPUT_A_count & 15, b = INPUT_B_n & 15;
    for (int i = 0; i < 8 && b != 0; i++) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    OUTPUT_divisor = a;

    unsigned length = INPUT_B_n;
    if (length > 10)
        length = 10;
    for (unsigned i = 0; i < length; i++)
        OUTPUT_limited ^= INPUT_A_values[i] + i;
}
