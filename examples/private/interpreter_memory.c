// An interpreter with a small memory: AUTHOR's input is a program, OWNER's is the data that the memory holds first. OWNER learns the bits behind
// the data when the program has ended.
// Source: Holzer, Franz, Katzenbeisser and Veith, "Secure Two-Party Computations in ANSI C" (CCS 2012), figure 5, written anew.

TACIT_ROLE(AUTHOR);
TACIT_ROLE(OWNER);

#ifndef STEPS
#define STEPS 50
#endif
#ifndef INPUTS
#define INPUTS 32
#endif
#ifndef SCRATCH
#define SCRATCH 3
#endif
#define MEMORY (INPUTS + SCRATCH)

enum { AND, OR, XOR, NOT };

// NOT has its left operand.
typedef struct {
    unsigned char operation;
    unsigned short left, right, target;
} instruction;

instruction INPUT_AUTHOR_program[STEPS];
_Bool INPUT_OWNER_data[INPUTS];

// What lies behind the memory is 0.
static _Bool load(const _Bool *memory, unsigned short address)
{
    return address < MEMORY ? memory[address] : 0;
}

// What is stored behind the memory is lost.
static void store(_Bool *memory, unsigned short address, _Bool value)
{
    if (address < MEMORY)
        memory[address] = value;
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
    _Bool memory[MEMORY] = {0};
    for (int i = 0; i < INPUTS; i++)
        memory[i] = INPUT_OWNER_data[i];
    for (int i = 0; i < STEPS; i++) {
        instruction now = INPUT_AUTHOR_program[i];
        _Bool result = applied(now.operation, load(memory, now.left), load(memory, now.right));
        store(memory, now.target, result);
    }
    _Bool OUTPUT_OWNER_scratch[SCRATCH];
    for (int i = 0; i < SCRATCH; i++)
        OUTPUT_OWNER_scratch[i] = memory[INPUTS + i];
}
