// Every width, signed and not: arithmetic, comparisons, shifts and conversions.
#define PAIR(type, name) \
    type INPUT_A_##name; \
    type INPUT_B_##name; \
    type OUTPUT_##name[12]; \
    static void do_##name(int n) { \
        type a = INPUT_A_##name, b = INPUT_B_##name; \
        OUTPUT_##name[0] = a + b; \
        OUTPUT_##name[1] = a - b; \
        OUTPUT_##name[2] = a * b; \
        OUTPUT_##name[3] = (a & b) | (~a ^ b); \
        OUTPUT_##name[4] = a < b; \
        OUTPUT_##name[5] = a >= b; \
        OUTPUT_##name[6] = a << n; \
        OUTPUT_##name[7] = a >> n; \
        OUTPUT_##name[8] = -a; \
        OUTPUT_##name[9] = a == b ? a : b; \
        OUTPUT_##name[10] = (signed char)a; \
        OUTPUT_##name[11] = (unsigned short)b; \
    }

unsigned char INPUT_A_shift;
PAIR(signed char, i8)
PAIR(unsigned char, u8)
PAIR(short, i16)
PAIR(unsigned short, u16)
PAIR(int, i32)
PAIR(unsigned, u32)
PAIR(long, i64)
PAIR(unsigned long, u64)
PAIR(long long, ll)
PAIR(__int128, i128)
PAIR(unsigned __int128, u128)

void widths(void) {
    do_i8(INPUT_A_shift & 7);
    do_u8(INPUT_A_shift & 7);
    do_i16(INPUT_A_shift & 15);
    do_u16(INPUT_A_shift & 15);
    do_i32(INPUT_A_shift & 31);
    do_u32(INPUT_A_shift & 31);
    do_i64(INPUT_A_shift & 63);
    do_u64(INPUT_A_shift & 63);
    do_ll(INPUT_A_shift & 63);
    do_i128(INPUT_A_shift & 127);
    do_u128(INPUT_A_shift & 127);
}
