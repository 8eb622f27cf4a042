// Insertion sort with a loop that ends when a secret is in place, and selection of the least by position.
signed char INPUT_A_list[6];
signed char OUTPUT_sorted[6];
int OUTPUT_least;

void sort(void) {
    int least = 0;
    for (int i = 1; i < 6; i++)
        if (INPUT_A_list[i] < INPUT_A_list[least])
            least = i;
    OUTPUT_least = least;
    for (int i = 1; i < 6; i++) {
        signed char value = INPUT_A_list[i];
        int j = i - 1;
        while (j >= 0 && INPUT_A_list[j] > value) {
            INPUT_A_list[j + 1] = INPUT_A_list[j];
            j--;
        }
        INPUT_A_list[j + 1] = value;
    }
    for (int i = 0; i < 6; i++)
        OUTPUT_sorted[i] = INPUT_A_list[i];
}
