//! locals: extern unsigned char INPUT_A_list[5]; extern unsigned INPUT_B_seed; extern unsigned OUTPUT_mix[5]; extern short OUTPUT_A_first; unsigned char INPUT_A_list[5]; unsigned INPUT_B_seed; unsigned OUTPUT_mix[5]; short OUTPUT_A_first;
// Arrays among the locals of the main function, inputs used as scratch.
#ifndef PORT
#define PORT
#endif

void mix(void) {
    PORT unsigned char INPUT_A_list[5];
    PORT unsigned INPUT_B_seed;
    PORT unsigned OUTPUT_mix[5];
    PORT short OUTPUT_A_first;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5; i++) {
            INPUT_B_seed = INPUT_B_seed * 1103515245u + 12345u;
            INPUT_A_list[i] ^= INPUT_B_seed >> 16;
        }
    }
    for (int i = 0; i < 5; i++)
        OUTPUT_mix[i] = INPUT_A_list[i] + (INPUT_B_seed & 0xff00);
    OUTPUT_A_first = INPUT_A_list[INPUT_B_seed % 5];
}
