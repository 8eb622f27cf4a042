// A state machine with a switch in a loop, and states as an enumeration.
enum state { START, NUMBER, WORD, FAILED };
unsigned char INPUT_A_text[12];
enum state OUTPUT_state;
int OUTPUT_number;
int OUTPUT_B_words;

void scan(void) {
    enum state state = START;
    int number = 0, words = 0;
    for (int i = 0; i < 12; i++) {
        unsigned char c = INPUT_A_text[i] % 128;
        switch (state) {
        case START:
            if (c >= '0' && c <= '9') {
                state = NUMBER;
                number = c - '0';
            } else if (c >= 'a' && c <= 'z') {
                state = WORD;
                words++;
            } else if (c == 0) {
                state = FAILED;
            }
            break;
        case NUMBER:
            if (c >= '0' && c <= '9')
                number = number * 10 + c - '0';
            else
                state = START;
            break;
        case WORD:
            if (!(c >= 'a' && c <= 'z'))
                state = START;
            break;
        case FAILED:
            goto end;
        }
    }
end:
    OUTPUT_state = state;
    OUTPUT_number = number;
    OUTPUT_B_words = words;
}
