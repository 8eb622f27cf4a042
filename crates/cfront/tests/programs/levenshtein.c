// The edit distance of two strings by dynamic programming.
#define N 5
unsigned char INPUT_A_s[N];
unsigned char INPUT_B_t[N];
unsigned char OUTPUT_distance;

static unsigned char least(unsigned char a, unsigned char b) { return a < b ? a : b; }

void levenshtein(void) {
    unsigned char row[N + 1];
    for (int j = 0; j <= N; j++)
        row[j] = j;
    for (int i = 1; i <= N; i++) {
        unsigned char diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= N; j++) {
            unsigned char above = row[j];
            unsigned char change = diagonal + (INPUT_A_s[i - 1] % 4 != INPUT_B_t[j - 1] % 4);
            row[j] = least(change, least(row[j - 1], above) + 1);
            diagonal = above;
        }
    }
    OUTPUT_distance = row[N];
}
