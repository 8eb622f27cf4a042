// The median of K numbers by bubble sort, as in figure 2 of the paper on CBMC-GC.
int INPUT_A_a[K];
int OUTPUT_median;

void median_bubblesort(void) {
    for (int i = K - 1; i > 0; i--) {
        for (int j = 0; j < i; j++) {
            int left = INPUT_A_a[j];
            int right = INPUT_A_a[j + 1];
            if (left > right) {
                INPUT_A_a[j] = right;
                INPUT_A_a[j + 1] = left;
            }
        }
    }
    OUTPUT_median = INPUT_A_a[K / 2];
}
