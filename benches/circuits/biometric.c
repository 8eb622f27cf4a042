// The least squared distance of a sample of D numbers to the N entries of a database.
int INPUT_A_database[N][D];
int INPUT_B_sample[D];
int OUTPUT_least;

void match(void) {
    int least = 0;
    for (int i = 0; i < N; i++) {
        int distance = 0;
        for (int j = 0; j < D; j++) {
            int difference = INPUT_A_database[i][j] - INPUT_B_sample[j];
            distance += difference * difference;
        }
        if (i == 0 || distance < least)
            least = distance;
    }
    OUTPUT_least = least;
}
