// The compression function of SHA-256 (FIPS 180-4, section 6.2) on one block.
unsigned INPUT_A_block[16];
unsigned INPUT_B_chaining[8];
unsigned OUTPUT_next[8];

static const unsigned constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))

void compress(void) {
    unsigned w[64];
    for (int t = 0; t < 16; t++)
        w[t] = INPUT_A_block[t];
    for (int t = 16; t < 64; t++) {
        unsigned s0 = ROTATE(w[t - 15], 7) ^ ROTATE(w[t - 15], 18) ^ w[t - 15] >> 3;
        unsigned s1 = ROTATE(w[t - 2], 17) ^ ROTATE(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    unsigned a = INPUT_B_chaining[0], b = INPUT_B_chaining[1], c = INPUT_B_chaining[2], d = INPUT_B_chaining[3];
    unsigned e = INPUT_B_chaining[4], f = INPUT_B_chaining[5], g = INPUT_B_chaining[6], h = INPUT_B_chaining[7];
    for (int t = 0; t < 64; t++) {
        unsigned s1 = ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25);
        unsigned t1 = h + s1 + CH(e, f, g) + constants[t] + w[t];
        unsigned s0 = ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22);
        unsigned t2 = s0 + MAJ(a, b, c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    OUTPUT_next[0] = INPUT_B_chaining[0] + a;
    OUTPUT_next[1] = INPUT_B_chaining[1] + b;
    OUTPUT_next[2] = INPUT_B_chaining[2] + c;
    OUTPUT_next[3] = INPUT_B_chaining[3] + d;
    OUTPUT_next[4] = INPUT_B_chaining[4] + e;
    OUTPUT_next[5] = INPUT_B_chaining[5] + f;
    OUTPUT_next[6] = INPUT_B_chaining[6] + g;
    OUTPUT_next[7] = INPUT_B_chaining[7] + h;
}
