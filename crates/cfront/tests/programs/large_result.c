//! parameters: int INPUT_A_x
// A structure that is returned through memory.
struct many {
    int list[6];
    _Bool odd;
};

struct many spread(int INPUT_A_x) {
    struct many m;
    for (int i = 0; i < 6; i++)
        m.list[i] = INPUT_A_x * i;
    m.odd = INPUT_A_x & 1;
    return m;
}
