// One operation on two words: RESULT, OPERAND and OPERATION are defined by the bench.
OPERAND INPUT_A_a;
OPERAND INPUT_B_b;
RESULT OUTPUT_result;

void compute(void) { OUTPUT_result = OPERATION; }
