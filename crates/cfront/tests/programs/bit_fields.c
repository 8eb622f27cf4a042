// Bit-fields as inputs, outputs and in between.
struct flags {
    unsigned kind : 3;
    signed level : 5;
    unsigned : 4;
    unsigned count : 12;
    _Bool set : 1;
    unsigned long wide : 40;
};
struct flags INPUT_A_flags[2];
unsigned INPUT_B_change;
struct flags OUTPUT_flags[2];
int OUTPUT_sum;

void fields(void) {
    struct flags local;
    for (int i = 0; i < 2; i++) {
        local = INPUT_A_flags[i];
        local.level += INPUT_B_change;
        if (local.set)
            local.count = INPUT_B_change;
        else
            local.wide ^= INPUT_B_change;
        local.kind = ~local.kind;
        OUTPUT_flags[i] = local;
        OUTPUT_sum += local.level * local.kind;
    }
}
