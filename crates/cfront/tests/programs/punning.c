// The same bytes in different types: a union, casts of pointers, copies.
#include <stdint.h>
#include <string.h>
union view {
    uint32_t word;
    uint16_t half[2];
    uint8_t byte[4];
};
uint32_t INPUT_A_word;
uint64_t INPUT_B_long;
uint8_t OUTPUT_bytes[4];
uint32_t OUTPUT_swapped;
uint16_t OUTPUT_half;
uint64_t OUTPUT_long;
uint32_t OUTPUT_parts[2];

void pun(void) {
    union view view;
    view.word = INPUT_A_word;
    for (int i = 0; i < 4; i++)
        OUTPUT_bytes[i] = view.byte[i];
    uint8_t first = view.byte[0];
    view.byte[0] = view.byte[3];
    view.byte[3] = first;
    OUTPUT_swapped = view.word;
    if (INPUT_B_long & 1)
        view.half[1] = 7;
    OUTPUT_half = view.half[INPUT_A_word & 1];
    uint64_t copy = 0;
    memcpy((uint8_t *)&copy + 2, &INPUT_B_long, 5);
    ((uint8_t *)&copy)[INPUT_A_word % 8] ^= 0x55;
    OUTPUT_long = copy;
    memcpy(OUTPUT_parts, &INPUT_B_long, sizeof OUTPUT_parts);
}
