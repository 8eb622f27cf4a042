// Stores of several bytes at secret offsets that lie closer together than the bytes.
#include <string.h>

struct __attribute__((packed)) odd {
    char tag;
    unsigned value;
};

unsigned char INPUT_A_x, INPUT_B_y;
unsigned INPUT_B_value;
unsigned char OUTPUT_filled[24], OUTPUT_copied[24], OUTPUT_stored[24], OUTPUT_chosen[24];

int f(void)
{
    memset(OUTPUT_filled, ' ', 24);
    memset(OUTPUT_filled + INPUT_A_x % 16, 7, 4 + 1);
    memset(OUTPUT_copied, INPUT_A_x, 24);
    memcpy(OUTPUT_copied + INPUT_B_y % 16, &INPUT_B_value, 4);
    for (int i = 0; i < 3; i++)
        ((struct odd *)(OUTPUT_stored + (INPUT_A_x + i) % 8))->value += INPUT_B_value;
    unsigned char *to = INPUT_A_x & 1 ? OUTPUT_chosen : OUTPUT_stored;
    *(unsigned short *)(to + INPUT_B_y % 23) = INPUT_B_value;
    return 0;
}
