//! parameters: struct point INPUT_A_p, struct segment INPUT_B_s, struct triple INPUT_B_t, _Bool INPUT_B_flip
// Structures as parameters, by value, and as a result.
struct point {
    short x, y;
};
struct segment {
    struct point from, to;
    long weight[2];
    char name;
};
struct triple {
    int a, b, c;
};
struct segment OUTPUT_copy;

static struct point middle(struct segment s) {
    struct point m = {(s.from.x + s.to.x) / 2, (s.from.y + s.to.y) / 2};
    s.name = 'm';
    return m;
}

static struct segment turned(struct segment s) {
    struct segment t = s;
    t.from = s.to;
    t.to = s.from;
    t.weight[0] = s.weight[1];
    return t;
}

struct triple shapes(struct point INPUT_A_p, struct segment INPUT_B_s, struct triple INPUT_B_t, _Bool INPUT_B_flip) {
    struct segment s = INPUT_B_flip ? turned(INPUT_B_s) : INPUT_B_s;
    struct point m = middle(s);
    OUTPUT_copy = s;
    OUTPUT_copy.to = INPUT_A_p;
    struct triple result = INPUT_B_t;
    result.a += m.x - INPUT_A_p.x;
    result.b = m.y;
    return result;
}
