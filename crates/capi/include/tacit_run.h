/* Runs functions compiled by `tacit compile … --emit netlist` (or program, or bristol) with a peer, from C.
 *
 * Link with -ltacit_run. Functions that can fail return NULL or a code other than TACIT_OK; tacit_error_message then
 * says what happened on this thread. A handle is used by one thread at a time. Names and messages are UTF-8.
 */
#ifndef TACIT_RUN_H
#define TACIT_RUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TACIT_OK = 0,
    /* An argument that is NULL, no UTF-8, or no JSON. */
    TACIT_ARGUMENT = 1,
    /* Anything else; the message tells it. */
    TACIT_FAILED = 2,
    /* An output that does not fit into the integer, or the buffer, that was given. */
    TACIT_RANGE = 3,
};

/* A compiled function. */
typedef struct tacit_function tacit_function;
/* A connection to the peer, with the inputs of the next run and the outputs of the last. */
typedef struct tacit_connection tacit_connection;

/* What the last call on this thread that failed says; never NULL, and valid until the next call on this thread. */
const char *tacit_error_message(void);

/* Loads a function from a file. NULL on failure. */
tacit_function *tacit_function_load(const char *path);
/* Frees a function; NULL is nothing. */
void tacit_function_free(tacit_function *function);

/* Meets the peer of a session file as the party of that name, with the secret key in a file. Blocks until the peer is
 * there, or the session's time limit is over. NULL on failure. */
tacit_connection *tacit_connect(const char *session_file, const char *party, const char *key_file);
/* Ends a connection and frees it, whatever is returned; NULL is nothing. */
int tacit_close(tacit_connection *connection);

/* Sets an input of the next run: an integer, or anything as JSON, such as [1, 2, 3] or {"x": 1, "y": 2}. */
int tacit_set_i64(tacit_connection *connection, const char *name, int64_t value);
int tacit_set_u64(tacit_connection *connection, const char *name, uint64_t value);
int tacit_set_json(tacit_connection *connection, const char *name, const char *json);

/* Runs a function with the peer, which runs the same. The inputs are then forgotten, and the outputs can be read. */
int tacit_run(tacit_connection *connection, const tacit_function *function);

/* Reads an output of the last run. */
int tacit_get_i64(const tacit_connection *connection, const char *name, int64_t *value);
int tacit_get_u64(const tacit_connection *connection, const char *name, uint64_t *value);
/* Writes an output as JSON with a NUL at its end to a buffer of `capacity` bytes. `needed`, unless NULL, becomes the bytes
 * that this takes; where they are more than the capacity nothing is written and TACIT_RANGE returned. */
int tacit_get_json(
    const tacit_connection *connection, const char *name, char *buffer, size_t capacity, size_t *needed
);

#ifdef __cplusplus
}
#endif

#endif
