//! function: chosen
// Several functions with inputs; one is asked for.
int INPUT_A_x;
int INPUT_B_y;
int OUTPUT_sum;
int OUTPUT_product;

void other(void) { OUTPUT_sum = INPUT_A_x + INPUT_B_y; }
void chosen(void) { OUTPUT_product = INPUT_A_x * INPUT_B_y; }
