// A full product in a type wider than any of the machine's.
unsigned __int128 INPUT_A_x;
unsigned __int128 INPUT_B_y;
unsigned long OUTPUT_product[4];
unsigned long OUTPUT_wrapped;

void product(void) {
    unsigned _BitInt(256) p = (unsigned _BitInt(256))INPUT_A_x * INPUT_B_y;
    for (int i = 0; i < 4; i++)
        OUTPUT_product[i] = p >> (64 * i);
    p = p + ((unsigned _BitInt(256))1 << 255) - INPUT_A_x;
    OUTPUT_wrapped = p > INPUT_B_y ? p >> 200 : 0;
}
