// The median of K numbers by a recursive merge sort at secret positions, as in figure 2 of the paper on CBMC-GC.
int INPUT_A_a[K];
int OUTPUT_median;
static int b[K];

static void mergesort(int l, int r) {
    if (r <= l)
        return;
    int i, j, m = (r + l) / 2;
    mergesort(l, m);
    mergesort(m + 1, r);
    for (i = m + 1; i > l; i--)
        b[i - 1] = INPUT_A_a[i - 1];
    for (j = m; j < r; j++)
        b[r + m - j] = INPUT_A_a[j + 1];
    for (int k = l; k <= r; k++) {
        if (b[i] < b[j])
            INPUT_A_a[k] = b[i++];
        else
            INPUT_A_a[k] = b[j--];
    }
}

void median_mergesort(void) {
    mergesort(0, K - 1);
    OUTPUT_median = INPUT_A_a[K / 2];
}
