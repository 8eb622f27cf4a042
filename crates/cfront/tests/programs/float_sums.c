float mean(const int *list, int count) {
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += list[i];
    return sum / count;
}

int INPUT_A_list[5];
int INPUT_B_scale;

int f(void) {
    double value = mean(INPUT_A_list, 5) * 0.001 * (INPUT_B_scale & 255);
    return value > 1000000 ? 1000000 : value < -1000000 ? -1000000 : (int)value;
}
