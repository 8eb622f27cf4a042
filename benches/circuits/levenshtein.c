// The edit distance of two strings of N bytes.
unsigned char INPUT_A_s[N];
unsigned char INPUT_B_t[N];
int OUTPUT_distance;

static int least(int a, int b) { return a < b ? a : b; }

void levenshtein(void) {
    int row[N + 1];
    for (int j = 0; j <= N; j++)
        row[j] = j;
    for (int i = 1; i <= N; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= N; j++) {
            int above = row[j];
            int change = diagonal + (INPUT_A_s[i - 1] != INPUT_B_t[j - 1]);
            row[j] = least(change, least(row[j - 1], above) + 1);
            diagonal = above;
        }
    }
    OUTPUT_distance = row[N];
}
