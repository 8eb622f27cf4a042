// Who is richer? Neither learns how rich the other is.

void millionaires(unsigned INPUT_A_mil, unsigned INPUT_B_mil)
{
    int OUTPUT_richer = INPUT_A_mil > INPUT_B_mil;
}
