// Choices between a flag and its opposite.
unsigned short INPUT_A_x;
unsigned short INPUT_B_y;
long INPUT_B_z;
int OUTPUT_sum;
_Bool OUTPUT_flags[3];

void flags(void) {
    if (INPUT_B_y % 2 ? (INPUT_A_x % 2 ? 0 : INPUT_B_z) : INPUT_A_x % 2 != 0)
        OUTPUT_sum += INPUT_A_x;
    _Bool a = INPUT_A_x & 4, b = INPUT_B_y & 4;
    OUTPUT_flags[0] = a ? b : !b;
    OUTPUT_flags[1] = a ? !b : b;
    OUTPUT_flags[2] = a ? a && b : b || !a;
}
