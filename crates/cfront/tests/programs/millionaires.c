//! locals: int INPUT_A_mil, INPUT_B_mil, OUTPUT_richer;
// Two numbers are compared; all variables are local to the function.
#ifndef PORT
#define PORT
#endif

void millionaires(void) {
    PORT int INPUT_A_mil;
    PORT int INPUT_B_mil;
    PORT int OUTPUT_richer;
    if (INPUT_A_mil > INPUT_B_mil)
        OUTPUT_richer = 1;
    else
        OUTPUT_richer = 0;
}
