// One party's circuit is evaluated on the other's bits: gates name their operands by secret positions.
#define INPUTS 4
#define GATES 6
struct gate {
    unsigned char left, right;
    unsigned char table;
};
struct gate INPUT_A_circuit[GATES];
_Bool INPUT_B_bits[INPUTS];
_Bool OUTPUT_result;
_Bool OUTPUT_wires[INPUTS + GATES];

void interpret(void) {
    _Bool wire[INPUTS + GATES] = {0};
    for (int i = 0; i < INPUTS; i++)
        wire[i] = INPUT_B_bits[i];
    for (int g = 0; g < GATES; g++) {
        struct gate gate = INPUT_A_circuit[g];
        int left = wire[gate.left % (INPUTS + g)];
        int right = wire[gate.right % (INPUTS + g)];
        wire[INPUTS + g] = gate.table >> (2 * left + right) & 1;
    }
    OUTPUT_result = wire[INPUTS + GATES - 1];
    for (int i = 0; i < INPUTS + GATES; i++)
        OUTPUT_wires[i] = wire[i];
}
