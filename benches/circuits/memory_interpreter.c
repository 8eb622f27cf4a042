// A circuit of GATES gates over MEMORY bits, INITIALISED of which are input: figure 5 of the paper on CBMC-GC.
typedef struct {
    _Bool opcode1;
    _Bool opcode2;
    short left;
    short right;
    short target;
} operation;

operation INPUT_A_ops[GATES];
_Bool INPUT_B_mem[INITIALISED];
_Bool OUTPUT_mem[MEMORY - INITIALISED];

void interpreter_2(void) {
    _Bool mem[MEMORY];
    for (int i = 0; i < INITIALISED; i++)
        mem[i] = INPUT_B_mem[i];
    for (int i = INITIALISED; i < MEMORY; i++)
        mem[i] = 0;
    for (int i = 0; i < GATES; i++) {
        operation op = INPUT_A_ops[i];
        _Bool left = mem[op.left];
        _Bool right = mem[op.right];
        _Bool result;
        if (op.opcode1) {
            if (op.opcode2)
                result = left & right;
            else
                result = left | right;
        } else {
            if (op.opcode2)
                result = left ^ right;
            else
                result = !left;
        }
        mem[op.target] = result;
    }
    for (int i = 0; i < MEMORY - INITIALISED; i++)
        OUTPUT_mem[i] = mem[INITIALISED + i];
}
