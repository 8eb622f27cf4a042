// The median by a recursive merge sort with secret positions.
#define COUNT 11
int INPUT_A_list[COUNT];
static int scratch[COUNT];

static void sort(int first, int last) {
    if (first >= last)
        return;
    int middle = (first + last) / 2;
    sort(first, middle);
    sort(middle + 1, last);
    int i, j;
    for (i = middle + 1; i > first; i--)
        scratch[i - 1] = INPUT_A_list[i - 1];
    for (j = middle; j < last; j++)
        scratch[last + middle - j] = INPUT_A_list[j + 1];
    for (int k = first; k <= last; k++) {
        if (scratch[i] < scratch[j])
            INPUT_A_list[k] = scratch[i++];
        else
            INPUT_A_list[k] = scratch[j--];
    }
}

int median(void) {
    sort(0, COUNT - 1);
    return INPUT_A_list[COUNT / 2];
}
