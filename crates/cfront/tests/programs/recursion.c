// Recursion whose depth depends on secrets, within a public bound.
unsigned char INPUT_A_n;
unsigned INPUT_B_x;
unsigned OUTPUT_factorial;
unsigned OUTPUT_power;
int OUTPUT_even;

static unsigned factorial(unsigned n) { return n == 0 ? 1 : n * factorial(n - 1); }

static unsigned power(unsigned x, unsigned n) {
    if (n == 0)
        return 1;
    unsigned half = power(x, n / 2);
    return n & 1 ? half * half * x : half * half;
}

static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

void recurse(void) {
    OUTPUT_factorial = factorial(7) + INPUT_B_x;
    OUTPUT_power = power(INPUT_B_x, INPUT_A_n);
    OUTPUT_even = is_even(INPUT_A_n & 7);
}
