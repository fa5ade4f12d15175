/*
 * error.h: the errors of all layers, and their messages to users.
 *
 * A function that can fail for a reason outside the program takes a struct
 * stn_why and leaves one line in it: what was wrong and what to do. The
 * function that first sees the error writes the line; the caller that gives up
 * prints it.
 */
#ifndef STN_TRANSPORT_ERROR_H
#define STN_TRANSPORT_ERROR_H

#define STN_ERRORS(X)                                                          \
	X(OK, "success")                                                       \
	X(NO_MEMORY, "out of memory")                                          \
	X(INVALID, "invalid argument")                                         \
	X(MALFORMED, "malformed data")                                         \
	X(MISSING, "not built in, or not found on this machine")               \
	X(IN_USE, "address in use")                                            \
	X(IO, "input or output failed")                                        \
	X(REFUSED, "refused by the receiver")                                  \
	X(CANCELLED, "cancelled")                                              \
	X(LOST, "the peer is gone")

enum stn_err {
#define X(name, text) STN_##name,
	STN_ERRORS(X)
#undef X
};

#define STN_CHECKED __attribute__((warn_unused_result))

struct stn_why {
	char text[400];
};

/* stn_err_text: a constant text for @err, any number. Any thread. */
const char *stn_err_text(enum stn_err err);

/*
 * stn_because: writes a formatted line into @why, which may be NULL, and
 * returns @err, so that a function can fail in one statement. Any thread.
 */
enum stn_err stn_because(struct stn_why *why, enum stn_err err,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
