// An interpreter of circuits: AUTHOR's input is a circuit, of which OWNER learns the result on bits of both, and nothing else but its size.
// Source: Holzer, Franz, Katzenbeisser and Veith, "Secure Two-Party Computations in ANSI C" (CCS 2012), figure 4, written anew.

TACIT_ROLE(AUTHOR);
TACIT_ROLE(OWNER);

#ifndef GATES
#define GATES 50
#endif
#define INPUTS 32
#define WIRES (2 * INPUTS + GATES)

enum { AND, OR, XOR, NOT };

// Operands are wires: AUTHOR's bits, OWNER's bits, then results of gates. NOT has its left one.
typedef struct {
    unsigned char operation;
    unsigned short left, right;
} gate;

gate INPUT_AUTHOR_gates[GATES];
_Bool INPUT_AUTHOR_bits[INPUTS];
_Bool INPUT_OWNER_bits[INPUTS];

// A wire that does not exist is 0, and so is one that no gate has set yet.
static _Bool value_of(const _Bool *wires, unsigned short wire)
{
    return wire < WIRES ? wires[wire] : 0;
}

// An operation that does not exist gives 0.
static _Bool applied(unsigned char operation, _Bool left, _Bool right)
{
    switch (operation) {
    case AND:
        return left & right;
    case OR:
        return left | right;
    case XOR:
        return left ^ right;
    case NOT:
        return !left;
    default:
        return 0;
    }
}

void interpret(void)
{
    _Bool wires[WIRES] = {0};
    for (int i = 0; i < INPUTS; i++) {
        wires[i] = INPUT_AUTHOR_bits[i];
        wires[INPUTS + i] = INPUT_OWNER_bits[i];
    }
    for (int i = 0; i < GATES; i++) {
        gate g = INPUT_AUTHOR_gates[i];
        wires[2 * INPUTS + i] = applied(g.operation, value_of(wires, g.left), value_of(wires, g.right));
    }
    _Bool OUTPUT_OWNER_result = wires[WIRES - 1];
}
