// A long sequence of arithmetic on few variables.
int INPUT_A_a, INPUT_A_b;
int INPUT_B_c, INPUT_B_d;
int OUTPUT_x, OUTPUT_y;

void sequence(void) {
    int a = INPUT_A_a, b = INPUT_A_b, c = INPUT_B_c, d = INPUT_B_d;
    for (int i = 0; i < 20; i++) {
        a = b + c;
        c = a - d;
        d = b * (a | 1);
        b ^= c + i;
        if (i % 5 == 0)
            a += d >> 3;
        c += a & ~d;
    }
    OUTPUT_x = a + b;
    OUTPUT_y = c - d;
}
