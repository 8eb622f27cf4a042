void millionaires(void) {
    int INPUT_A_mil;
    int INPUT_B_mil;
    int OUTPUT_richer;
    if (INPUT_A_mil > INPUT_B_mil)
        OUTPUT_richer = 1;
    else
        OUTPUT_richer = 0;
}
