// Copies, fills and comparisons of memory, with secret positions.
#include <string.h>
struct row {
    int key;
    short cells[3];
};
struct row INPUT_A_rows[4];
unsigned INPUT_B_at;
struct row INPUT_B_row;
struct row OUTPUT_rows[4];
struct row OUTPUT_picked;
int OUTPUT_order;
unsigned char OUTPUT_bytes[9];

void copy(void) {
    struct row rows[4];
    memcpy(rows, INPUT_A_rows, sizeof rows);
    OUTPUT_picked = rows[INPUT_B_at % 4];
    rows[INPUT_B_at / 4 % 4] = INPUT_B_row;
    if (INPUT_B_at & 0x100)
        memmove(&rows[1], &rows[0], 2 * sizeof rows[0]);
    memcpy(OUTPUT_rows, rows, sizeof rows);
    OUTPUT_order = memcmp(rows[2].cells, rows[3].cells, sizeof rows[2].cells) < 0;
    memset(OUTPUT_bytes, 0x5a, sizeof OUTPUT_bytes);
    memset(OUTPUT_bytes + 2, INPUT_B_at, 3);
    if (memcmp(&INPUT_B_row.key, &rows[INPUT_B_at & 3].key, 4) == 0)
        OUTPUT_bytes[8] = 1;
}
