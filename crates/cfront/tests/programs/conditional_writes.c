// Writes to secret positions under secret conditions, more than once.
unsigned char INPUT_A_values[6];
unsigned char INPUT_B_at[4];
unsigned char OUTPUT_values[6];
unsigned OUTPUT_histogram[5];

void scatter(void) {
    for (int i = 0; i < 4; i++) {
        if (INPUT_B_at[i] & 0x80) {
            INPUT_A_values[INPUT_B_at[i] % 6] = i;
            if (INPUT_B_at[i] & 0x40)
                INPUT_A_values[(INPUT_B_at[i] >> 1) % 6] += 3;
        } else if (INPUT_B_at[i] & 0x20) {
            INPUT_A_values[2] = 200;
        }
        OUTPUT_histogram[INPUT_B_at[i] % 5]++;
    }
    for (int i = 0; i < 6; i++)
        OUTPUT_values[i] = INPUT_A_values[i];
}
