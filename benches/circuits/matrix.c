// The product of two S by S matrices, as in figure 1 of the paper on CBMC-GC.
int INPUT_A_a[S][S];
int INPUT_B_b[S][S];
int OUTPUT_c[S][S];

void multiply(void) {
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++)
            for (int k = 0; k < S; k++)
                OUTPUT_c[i][j] += INPUT_A_a[i][k] * INPUT_B_b[k][j];
}
