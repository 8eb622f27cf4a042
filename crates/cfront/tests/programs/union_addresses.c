// Numbers in unions with addresses, which optimisation passes and stores as addresses of nothing.
int INPUT_A_x;
float INPUT_B_y;
int OUTPUT_r[4];

static union number {
    float single;
    int *address;
    unsigned low;
} kept = {5042.227886}, other;
static union wide {
    double number;
    void *address;
} wide = {.address = (void *)0x40b3b23a60000000};

static int same(int x, union number given) {
    if (x != INPUT_A_x)
        return 1;
    if (kept.single != given.single)
        return 2;
    return 3;
}

void f(void) {
    OUTPUT_r[0] = same(INPUT_A_x, kept);
    OUTPUT_r[1] = wide.number == 5042.2265625 && INPUT_A_x > 3;
    other.address = (int *)0x12345678abcdef01;
    OUTPUT_r[2] = INPUT_A_x > 5 ? other.low : ((unsigned char *)&other)[5];
    union number low = INPUT_B_y == INPUT_B_y ? kept : other;
    OUTPUT_r[3] = low.low;
}
