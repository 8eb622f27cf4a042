// The nearest match: A has taxis on a map, B wants one to come. Both learn which taxi is nearest and how far it is;
// where the others are, and where B stands, stays secret. Coordinates count 100 m, the distance is its square.

#define TAXIS 12

struct taxi {
    unsigned short id;
    short x, y;
};

struct place {
    short x, y;
};

struct taxi INPUT_A_taxis[TAXIS];
struct place INPUT_B_here;
unsigned short OUTPUT_id;
unsigned OUTPUT_distance;

static unsigned square(unsigned x) { return x * x; }

void nearest(void)
{
    unsigned best = ~0u;
    for (int i = 0; i < TAXIS; i++) {
        struct taxi taxi = INPUT_A_taxis[i];
        unsigned distance = square(taxi.x - INPUT_B_here.x) + square(taxi.y - INPUT_B_here.y);
        if (distance < best) {
            best = distance;
            OUTPUT_id = taxi.id;
        }
    }
    OUTPUT_distance = best;
}
