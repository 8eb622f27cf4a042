// Pointers that move as secrets decide, and pointers to pointers.
int INPUT_A_list[6];
unsigned char INPUT_B_moves[5];
int OUTPUT_sum;
int OUTPUT_list[6];
int OUTPUT_distance;
int OUTPUT_other;

static void add_to(int *place, int value) { *place += value; }

void walk(void) {
    int *at = INPUT_A_list;
    int other[3] = {10, 20, 30};
    for (int i = 0; i < 5; i++) {
        OUTPUT_sum += *at;
        if (INPUT_B_moves[i] & 1)
            at++;
        add_to(at, i);
    }
    OUTPUT_distance = at - INPUT_A_list;
    int *which = INPUT_B_moves[0] > 128 ? &INPUT_A_list[2] : &other[1];
    int **indirect = &which;
    if (INPUT_B_moves[1] > 128)
        *indirect = other;
    **indirect = 99;
    which[1] -= 7;
    for (int i = 0; i < 3; i++)
        OUTPUT_other += other[i] * (i + 1);
    for (int *p = INPUT_A_list, *q = OUTPUT_list; p < INPUT_A_list + 6; p++, q++)
        *q = *p;
    OUTPUT_sum += which == other ? 1000 : 0;
}
