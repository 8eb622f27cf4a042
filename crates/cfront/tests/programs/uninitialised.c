//! parameters: int INPUT_A_x, int INPUT_B_y
// Variables that only some paths set, and that only these paths read.
int OUTPUT_result;

void partly(int INPUT_A_x, int INPUT_B_y) {
    int set;
    int list[4];
    if (INPUT_A_x > 0) {
        set = INPUT_B_y;
        list[1] = 3;
    } else {
        list[1] = INPUT_B_y;
    }
    OUTPUT_result = list[1];
    if (INPUT_A_x > 0)
        OUTPUT_result += set;
}
