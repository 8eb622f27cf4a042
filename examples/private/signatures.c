// A sensor's signatures on a packet. SENSOR keeps its signatures to itself, NETWORK its packets, and NETWORK alone learns which
// signatures match. Nobody learns where, or how many signatures there are beyond the bits of the result.

TACIT_ROLE(SENSOR);
TACIT_ROLE(NETWORK);

#define PAYLOAD 32

typedef unsigned char byte;

// Whether the payload holds four bytes in a row.
static unsigned contains(const byte *payload, byte a, byte b, byte c, byte d)
{
    unsigned found = 0;
    for (int i = 0; i + 4 <= PAYLOAD; i++)
        found |= (payload[i] == a) & (payload[i + 1] == b) & (payload[i + 2] == c) & (payload[i + 3] == d);
    return found;
}

byte INPUT_NETWORK_payload[PAYLOAD];

void inspect(byte INPUT_NETWORK_protocol, unsigned short INPUT_NETWORK_port, unsigned short INPUT_NETWORK_length)
{
    unsigned tcp = INPUT_NETWORK_protocol == 6, udp = INPUT_NETWORK_protocol == 17;
    unsigned web = tcp & ((INPUT_NETWORK_port == 80) | (INPUT_NETWORK_port == 8080));
    unsigned traversal = web & contains(INPUT_NETWORK_payload, '/', '.', '.', '/');
    unsigned shell = web & contains(INPUT_NETWORK_payload, '(', ')', ' ', '{');
    unsigned sled = contains(INPUT_NETWORK_payload, 0x90, 0x90, 0x90, 0x90);
    unsigned amplified = udp & (INPUT_NETWORK_port == 11211) & (INPUT_NETWORK_length > 1000);
    byte OUTPUT_NETWORK_alerts = traversal | shell << 1 | sled << 2 | amplified << 3;
}
