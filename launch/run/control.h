/*
 * control.h: the control socket of a launcher, by which other commands of the
 * same user reach a run on this host: `sateen runs`, `sateen leave`. It is a
 * UNIX stream socket in a directory of the user's own, and its name is the
 * number of the run: the launcher's process number. The directory is
 * $XDG_RUNTIME_DIR/sateen or, if that is not set, not the user's own, or too
 * long for a socket's name, /tmp/sateen-UID.
 *
 * A client sends one request and gets lines:
 *
 *	request	words, each ends with a zero byte; another zero byte at the end
 *	answer	lines; the first character of a line is its kind:
 *		' '	text for people
 *		'!'	the last line: the request has failed, for this reason
 *		'.'	the last line: the request is done
 *
 * One thread.
 */
#ifndef STN_LAUNCH_RUN_CONTROL_H
#define STN_LAUNCH_RUN_CONTROL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include "transport/error.h"

#define STN_CONTROL_CLIENTS 8			  /* at a time */
#define STN_CONTROL_FDS (1 + STN_CONTROL_CLIENTS) /* polled descriptors */
#define STN_CONTROL_WORDS 16			  /* of a request at most */
#define STN_CONTROL_BYTES 8192			  /* of a request at most */

/* A request. The words are texts without control characters. */
struct stn_control_request {
	uint64_t number; /* for the answer */
	size_t count;	 /* of words, at least 1 */
	const char *words[STN_CONTROL_WORDS];
};

/*
 * A client has sent this request, which is valid during the call. The launcher
 * answers it now or later by stn_control_say and stn_control_end.
 */
typedef void stn_control_asked(void *arg,
			       const struct stn_control_request *request);

struct stn_control;

/*
 * stn_control_open: begins to listen for requests. NULL if that is impossible;
 * then other commands can't reach this run.
 * stn_control_close: tells clients that still wait that the run has ended, and
 * removes the socket. Takes NULL, like the next three.
 */
struct stn_control *stn_control_open(stn_control_asked *asked, void *arg);
void stn_control_close(struct stn_control *control);

/*
 * stn_control_fds: fills @fds with the descriptors to poll. Returns their
 * number, at most STN_CONTROL_FDS.
 * stn_control_listen: handles all descriptors that poll() found ready.
 * @fds  as stn_control_fds filled it, after poll()
 */
uint32_t stn_control_fds(const struct stn_control *control, struct pollfd *fds);
void stn_control_listen(struct stn_control *control, const struct pollfd *fds);

/*
 * stn_control_say: sends a line of text to the client of request @number.
 * stn_control_end: the request is done or, if @error is not NULL, has failed
 * for that reason. Both do nothing if the client is gone.
 */
void stn_control_say(struct stn_control *control, uint64_t number,
		     const char *text);
void stn_control_end(struct stn_control *control, uint64_t number,
		     const char *error);

/* stn_control_waits: whether the client of request @number is still there. */
bool stn_control_waits(struct stn_control *control, uint64_t number);

/*
 * stn_control_parse: reads a request. @words points into @bytes. STN_OK;
 * STN_MISSING: it is not complete yet; STN_MALFORMED.
 */
STN_CHECKED enum stn_err stn_control_parse(const char *bytes, size_t size,
					   struct stn_control_request *request);

#define STN_CONTROL_PATH ((int)sizeof(((struct sockaddr_un *)0)->sun_path))

/*
 * stn_control_directory: writes the path of the directory, and makes sure that
 * it exists, and that only this user can use it.
 * stn_control_other: writes the path of the directory with the sockets of this
 * user's launchers that did not have the variable, as cron starts them, if this
 * process has it, or the other way round. False: there is none. If the variable
 * names an unusual directory, the user wants to see no other runs.
 */
STN_CHECKED enum stn_err stn_control_directory(char path[STN_CONTROL_PATH],
					       struct stn_why *why);
bool stn_control_other(char path[STN_CONTROL_PATH]);

/* A line of an answer, for people. */
typedef void stn_control_line(void *arg, const char *text);

/*
 * stn_control_ask: sends a request, the @words up to a NULL, to the launcher of
 * the run with the number @run, and waits for the whole answer.
 * @seconds  how long the launcher may be silent; 0: as long as it likes
 * @line  called for each line of text
 * STN_MISSING: there is no such run; STN_REFUSED: the launcher has refused the
 * request, for the reason in @why; STN_LOST: the launcher has gone, or does not
 * answer.
 */
STN_CHECKED enum stn_err
stn_control_ask(const char *run, const char *const *words, unsigned seconds,
		stn_control_line *line, void *arg, struct stn_why *why);

/*
 * stn_control_list: asks each run of this user on this host, with the same
 * words. Removes what launchers that were killed have left behind.
 */
STN_CHECKED enum stn_err stn_control_list(const char *const *words,
					  stn_control_line *line, void *arg,
					  struct stn_why *why);

#endif
