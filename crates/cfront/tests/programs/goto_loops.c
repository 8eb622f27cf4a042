//! parameters: unsigned INPUT_A_x, unsigned INPUT_B_y
// Loops made of labels, with an exit from the inner to outside of both.
unsigned OUTPUT_steps;

unsigned walk(unsigned INPUT_A_x, unsigned INPUT_B_y) {
    unsigned i = 0, total = 0;
outer:
    i++;
    unsigned j = 0;
inner:
    total += INPUT_A_x & 7;
    OUTPUT_steps++;
    if (total > (INPUT_B_y & 63))
        goto done;
    if (j++ < 3)
        goto inner;
    if (i < 4)
        goto outer;
    total = 1000;
done:
    return total + i;
}
