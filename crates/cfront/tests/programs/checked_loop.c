//! parameters: int INPUT_A_n
// The bound follows from a check before the loop.
int INPUT_B_values[5];

int sum(int INPUT_A_n) {
    if (INPUT_A_n > 5 || INPUT_A_n < 0)
        return -1;
    int total = 0;
    for (int i = 0; i < INPUT_A_n; i++)
        total += INPUT_B_values[i];
    return total;
}
