// The median of an array that the program sorts in place.
#define COUNT 9
short INPUT_A_list[COUNT];
short OUTPUT_median;

void median(void) {
    for (int end = COUNT - 1; end > 0; end--) {
        for (int at = 0; at < end; at++) {
            short low = INPUT_A_list[at], high = INPUT_A_list[at + 1];
            if (low > high) {
                INPUT_A_list[at] = high;
                INPUT_A_list[at + 1] = low;
            }
        }
    }
    OUTPUT_median = INPUT_A_list[COUNT / 2];
}
