// A circuit of GATES gates over the bits of two parties, as in figure 4 of the paper on CBMC-GC.
#define INPUT_SIZE 32
_Bool INPUT_A_a[INPUT_SIZE];
_Bool INPUT_B_b[INPUT_SIZE];
_Bool INPUT_A_circuit_ops[2 * GATES];
short INPUT_A_circuit_left[GATES];
short INPUT_A_circuit_right[GATES];
_Bool OUTPUT_result;

void interpreter_1(void) {
    _Bool results[GATES + 2 * INPUT_SIZE];
    for (int i = 0; i < INPUT_SIZE; i++)
        results[i] = INPUT_A_a[i];
    for (int i = 0; i < INPUT_SIZE; i++)
        results[INPUT_SIZE + i] = INPUT_B_b[i];
    for (int i = 0; i < GATES; i++)
        results[2 * INPUT_SIZE + i] = 0;
    for (int i = 0; i < GATES; i++) {
        _Bool left = results[INPUT_A_circuit_left[i]];
        _Bool right = results[INPUT_A_circuit_right[i]];
        _Bool result;
        if (INPUT_A_circuit_ops[2 * i] == 0) {
            if (INPUT_A_circuit_ops[2 * i + 1] == 0)
                result = left & right;
            else
                result = left | right;
        } else {
            if (INPUT_A_circuit_ops[2 * i + 1] == 1)
                result = !left;
            else
                result = left ^ right;
        }
        results[2 * INPUT_SIZE + i] = result;
    }
    OUTPUT_result = results[2 * INPUT_SIZE - 1 + GATES];
}
