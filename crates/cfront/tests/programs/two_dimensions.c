// Secret rows and columns, read and written.
int INPUT_A_grid[4][5];
unsigned INPUT_B_row, INPUT_B_column;
int OUTPUT_cell;
int OUTPUT_row[5];
int OUTPUT_column[4];
int OUTPUT_grid[4][5];

void grid(void) {
    unsigned r = INPUT_B_row % 4, c = INPUT_B_column % 5;
    OUTPUT_cell = INPUT_A_grid[r][c];
    for (int i = 0; i < 5; i++)
        OUTPUT_row[i] = INPUT_A_grid[r][i];
    for (int i = 0; i < 4; i++)
        OUTPUT_column[i] = INPUT_A_grid[i][c];
    INPUT_A_grid[r][c] = -1;
    if (INPUT_A_grid[0][0] > 0)
        INPUT_A_grid[r][2] += 5;
    int *flat = &INPUT_A_grid[0][0];
    flat[r * 5 + (c + 1) % 5]++;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            OUTPUT_grid[i][j] = INPUT_A_grid[i][j];
}
