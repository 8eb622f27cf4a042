// A linked list in allocated memory.
#include <stdlib.h>
struct node {
    int value;
    struct node *next;
};
int INPUT_A_values[5];
int INPUT_B_limit;
int OUTPUT_sum;
int OUTPUT_count;
int OUTPUT_last;

void lists(void) {
    struct node *first = NULL;
    for (int i = 0; i < 5; i++) {
        if (INPUT_A_values[i] >= INPUT_B_limit)
            continue;
        struct node *node = malloc(sizeof *node);
        node->value = INPUT_A_values[i];
        node->next = first;
        first = node;
        OUTPUT_count++;
    }
    for (struct node *node = first; node; node = node->next) {
        OUTPUT_sum += node->value;
        OUTPUT_last = node->value;
    }
    int *zeros = calloc(4, sizeof *zeros);
    zeros[INPUT_B_limit & 3] = 9;
    OUTPUT_sum += zeros[2];
    free(zeros);
}
