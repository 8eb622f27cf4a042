// The record nearest to a query; records are structures, chosen whole.
struct record {
    unsigned short id;
    signed char x, y;
    _Bool active;
};
struct record INPUT_A_database[8];
struct record INPUT_B_query;
struct record OUTPUT_nearest;
unsigned OUTPUT_distance;

static unsigned square(int x) { return x * x; }

void nearest(void) {
    unsigned best = ~0u;
    struct record found = {0};
    for (int i = 0; i < 8; i++) {
        if (!INPUT_A_database[i].active)
            continue;
        unsigned d = square(INPUT_A_database[i].x - INPUT_B_query.x) + square(INPUT_A_database[i].y - INPUT_B_query.y);
        if (d < best) {
            best = d;
            found = INPUT_A_database[i];
        }
    }
    OUTPUT_nearest = found;
    OUTPUT_distance = best;
}
