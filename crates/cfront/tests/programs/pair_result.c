//! parameters: struct pair INPUT_A_p, int INPUT_B_x
// A structure that is returned in registers.
struct pair {
    int first;
    unsigned char second;
};

struct pair change(struct pair INPUT_A_p, int INPUT_B_x) {
    if (INPUT_A_p.second > 9)
        INPUT_A_p.first -= INPUT_B_x;
    INPUT_A_p.second++;
    return INPUT_A_p;
}
