// Calls through tables of functions, at public and at secret positions.
int INPUT_A_x;
unsigned char INPUT_B_which;
int OUTPUT_all;
int OUTPUT_one;
int OUTPUT_calls;

static int twice(int x) { OUTPUT_calls++; return 2 * x; }
static int square(int x) { return x * x; }
static int negate(int x) { OUTPUT_calls += 10; return -x; }
static int (*const table[3])(int) = {twice, square, negate};

void call(void) {
    for (int i = 0; i < 3; i++)
        OUTPUT_all += table[i](INPUT_A_x + i);
    OUTPUT_one = table[INPUT_B_which % 3](INPUT_A_x);
    int (*chosen)(int) = INPUT_B_which > 100 ? twice : negate;
    OUTPUT_one ^= chosen(5);
}
