/* Who is richer, within a larger program in C: embed FUNCTION SESSION PARTY KEY NUMBER
 *
 *     tacit compile examples/millionaires.c --emit netlist -o millionaires.netlist
 *     cc -Icrates/capi/include examples/embed/embed.c -Ltarget/release -ltacit_run -o embed
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tacit_run.h"

static int failed(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, tacit_error_message());
    return EXIT_FAILURE;
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fprintf(stderr, "usage: embed FUNCTION SESSION PARTY KEY NUMBER\n");
        return EXIT_FAILURE;
    }
    tacit_function *function = tacit_function_load(arguments[1]);
    if (function == NULL)
        return failed("function");
    tacit_connection *connection = tacit_connect(arguments[2], arguments[3], arguments[4]);
    if (connection == NULL)
        return failed("connection");
    uint64_t number = strtoull(arguments[5], NULL, 10);
    for (uint64_t factor = 1; factor <= 2; factor++) {
        uint64_t richer;
        char text[64];
        size_t needed;
        if (tacit_set_u64(connection, "mil", factor * number) != TACIT_OK)
            return failed("input");
        if (tacit_run(connection, function) != TACIT_OK)
            return failed("run");
        if (tacit_get_u64(connection, "richer", &richer) != TACIT_OK
            || tacit_get_json(connection, "richer", text, sizeof text, &needed) != TACIT_OK)
            return failed("output");
        printf("%" PRIu64 " %s\n", richer, text);
    }
    if (tacit_close(connection) != TACIT_OK)
        return failed("closing");
    tacit_function_free(function);
    return EXIT_SUCCESS;
}
