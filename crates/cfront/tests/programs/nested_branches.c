//! parameters: int INPUT_A_a, int INPUT_A_b, int INPUT_B_c
// Branches within branches that write the same variables.
int OUTPUT_low;
int OUTPUT_trace[4];

int nest(int INPUT_A_a, int INPUT_A_b, int INPUT_B_c) {
    int result = 5;
    if (INPUT_A_a > INPUT_A_b) {
        OUTPUT_trace[0] = 1;
        if (INPUT_A_b > INPUT_B_c) {
            OUTPUT_low = INPUT_B_c;
            result++;
        } else {
            OUTPUT_low = INPUT_A_b;
            if (INPUT_A_a == INPUT_B_c)
                OUTPUT_trace[1] = result;
            else
                result *= 3;
        }
    } else if (INPUT_A_a > INPUT_B_c) {
        OUTPUT_low = INPUT_B_c;
        OUTPUT_trace[2] = INPUT_A_a;
    } else {
        OUTPUT_low = INPUT_A_a;
        result = -result;
    }
    OUTPUT_trace[3] += result;
    return (INPUT_A_a && INPUT_A_b) || INPUT_B_c ? result : ~result;
}
