//! parameters: int INPUT_A_x, int INPUT_B_y
// Returns from the middle of nested branches and loops.
static int find(const int *list, int count, int wanted) {
    for (int i = 0; i < count; i++) {
        if (list[i] == wanted)
            return i;
        if (list[i] > wanted)
            return -i;
    }
    return count + 100;
}

int choose(int INPUT_A_x, int INPUT_B_y) {
    int list[6] = {-3, 0, 2, 5, 9, 12};
    if (INPUT_A_x < 0) {
        if (INPUT_B_y < 0)
            return -1;
        if (INPUT_B_y > 1000)
            return find(list, 6, INPUT_A_x + 10);
    } else {
        for (int k = 0; k < 6 && INPUT_A_x % 7 != 0; k++) {
            INPUT_A_x = INPUT_A_x % 7 - 1;
            if (INPUT_A_x == INPUT_B_y)
                return 77;
        }
    }
    return find(list, 6, INPUT_B_y) * 2 + INPUT_A_x;
}
