// Substitution by a public table at secret positions, and a secret table.
static const unsigned char box[64] = {
    12, 5,  6,  11, 9,  0,  10, 13, 3,  14, 15, 8,  4,  7,  1,  2,  99, 124, 119, 123, 242, 107, 111, 197, 48, 1,  103, 43,
    254, 215, 171, 118, 202, 130, 201, 125, 250, 89, 71, 240, 173, 212, 162, 175, 156, 164, 114, 192, 183, 253, 147, 38, 54,
    63, 247, 204, 52, 165, 229, 241, 113, 216, 49, 21};
unsigned char INPUT_A_key[4];
unsigned char INPUT_B_text[4];
unsigned INPUT_B_table[10];
unsigned char OUTPUT_cipher[4];
unsigned OUTPUT_sum;

void encrypt(void) {
    unsigned char state[4];
    for (int i = 0; i < 4; i++)
        state[i] = INPUT_B_text[i];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            state[i] = box[(state[i] ^ INPUT_A_key[i]) & 63];
        unsigned char first = state[0];
        for (int i = 0; i < 3; i++)
            state[i] = state[i] ^ state[i + 1];
        state[3] ^= first;
    }
    for (int i = 0; i < 4; i++) {
        OUTPUT_cipher[i] = state[i];
        OUTPUT_sum += INPUT_B_table[state[i] % 10] + INPUT_B_table[INPUT_A_key[0] > 7 ? 9 : 2];
    }
}
