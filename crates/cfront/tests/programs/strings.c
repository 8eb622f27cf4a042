#include <string.h>

char INPUT_A_text[8];
char INPUT_B_other[8];
unsigned char INPUT_A_key;
unsigned long OUTPUT_lengths[4];
int OUTPUT_signs[3];
char OUTPUT_joined[24];
char OUTPUT_copy[8];
int OUTPUT_at[4];

static int sign(int value) { return (value > 0) - (value < 0); }

void f(void) {
    char a[9], b[9];
    for (int i = 0; i < 8; i++) {
        a[i] = INPUT_A_text[i];
        b[i] = INPUT_B_other[i];
    }
    a[8] = b[8] = 0;
    OUTPUT_lengths[0] = strlen(a);
    OUTPUT_lengths[1] = strnlen(b, 4);
    OUTPUT_lengths[2] = strspn(a, b);
    OUTPUT_lengths[3] = strcspn(a, "\001\002");
    OUTPUT_signs[0] = sign(strcmp(a, b));
    OUTPUT_signs[1] = sign(strncmp(a, b, 3));
    OUTPUT_signs[2] = sign(memcmp(a, b, 8));
    char joined[24];
    memset(joined, 0, sizeof joined);
    strcpy(joined, a);
    strcat(joined, b);
    strncat(joined, "xyz", 2);
    memcpy(OUTPUT_joined, joined, sizeof joined);
    strncpy(OUTPUT_copy, b, 8);
    char *found = strchr(a, INPUT_A_key & 3), *last = strrchr(a, INPUT_A_key & 3);
    char *byte = memchr(b, INPUT_A_key & 3, 8), *part = strstr(a, "\003");
    OUTPUT_at[0] = found ? found - a : -1;
    OUTPUT_at[1] = last ? last - a : -1;
    OUTPUT_at[2] = byte ? byte - b : -1;
    OUTPUT_at[3] = part ? part - a : -1;
}
