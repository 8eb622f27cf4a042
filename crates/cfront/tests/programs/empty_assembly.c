// What hides values from the compiler and does nothing.
int INPUT_A_x;
double INPUT_B_d;

int f(void) {
    int y, z = INPUT_A_x;
    double d = INPUT_B_d;
    __asm__ volatile("" : "=r"(y) : "0"(INPUT_A_x));
    __asm__("" : "+r"(z));
    __asm__ volatile("" ::: "memory");
    __asm__("" : "+m"(z));
    __asm__("" : : "r"(y), "r"(&z));
    __asm__("" : "+x"(d));
    return y * 3 + z + (d > 1);
}
