// A declaration of another result than the definition, which callers see narrower.
int INPUT_A_x;
int INPUT_B_y;

int strlen(const char *text);

int f(void) {
    char text[4] = {INPUT_A_x ? 'a' : 0, 'b', 0, 0};
    return strlen(text) == 2 ? INPUT_B_y : strlen(text);
}
