// A little machine whose instructions, and the memory cells they write, are secret.
#define STEPS 6
#define CELLS 8
unsigned char INPUT_A_code[STEPS][3];
unsigned char INPUT_B_memory[CELLS];
unsigned char OUTPUT_memory[CELLS];

void run(void) {
    unsigned char memory[CELLS];
    for (int i = 0; i < CELLS; i++)
        memory[i] = INPUT_B_memory[i];
    for (int step = 0; step < STEPS; step++) {
        unsigned char *to = &memory[INPUT_A_code[step][1] % CELLS];
        unsigned char from = memory[INPUT_A_code[step][2] & 7];
        switch (INPUT_A_code[step][0] % 5) {
        case 0:
            *to += from;
            break;
        case 1:
            *to ^= from;
            break;
        case 2:
            *to = from;
            /* fall through */
        case 3:
            *to <<= 1;
            break;
        default:
            if (from > 100)
                *to = 0;
        }
    }
    for (int i = 0; i < CELLS; i++)
        OUTPUT_memory[i] = memory[i];
}
