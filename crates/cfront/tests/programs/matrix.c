// A product of matrices, in the style of the paper's first figure.
#define S 3
int INPUT_A_left[S][S];
int INPUT_B_right[S][S];
int OUTPUT_product[S][S];

void multiply(void) {
    for (int row = 0; row < S; row++)
        for (int column = 0; column < S; column++)
            for (int inner = 0; inner < S; inner++)
                OUTPUT_product[row][column] += INPUT_A_left[row][inner] * INPUT_B_right[inner][column];
}
