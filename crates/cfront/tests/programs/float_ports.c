//! parameters: float INPUT_A_scale, double INPUT_B_offset
//! function: scaled
struct sample {
    float weight;
    char tag;
    double at[2];
};

struct sample INPUT_A_samples[3];
double INPUT_B_points[4];
struct sample OUTPUT_last;
float OUTPUT_narrow[4];
double OUTPUT_B_first;

double scaled(float INPUT_A_scale, double INPUT_B_offset) {
    double result = 0;
    OUTPUT_last = INPUT_A_samples[2];
    for (int i = 0; i < 4; i++)
        OUTPUT_narrow[i] = INPUT_B_points[i] == INPUT_B_points[i] ? (float)INPUT_B_points[i] : 0;
    OUTPUT_B_first = INPUT_A_samples[0].at[1];
    for (int i = 0; i < 2; i++)
        if (INPUT_A_samples[i].weight > 0)
            result += INPUT_A_samples[i].tag;
    if (INPUT_A_scale == INPUT_A_scale && INPUT_B_offset == INPUT_B_offset)
        result = result * INPUT_A_scale + INPUT_B_offset;
    return result;
}
