/*
 * input.h: the launcher's standard input, which main reads on the run's root. If
 * the root dies, the next one runs main again and reads the same input from its
 * beginning. So input that was read is kept in a deleted file in TMPDIR.
 *
 * One thread. stn_input_read reads ahead of main. stn_input_offer and
 * stn_input_taken don't: input that main does not read stays there for the
 * commands after this one. Only from a terminal, of which nothing can be read
 * twice, the launcher reads one line ahead.
 */
#ifndef STN_LAUNCH_RUN_INPUT_H
#define STN_LAUNCH_RUN_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum stn_input_kind { STN_INPUT_OTHER, STN_INPUT_PIPE, STN_INPUT_SOCKET };

struct stn_input {
	/* Read only: */
	bool is_lost;  /* the next root can't read what was read before */
	bool terminal; /* and @keeps */

	bool keeps;
	enum stn_input_kind kind;
	int log;	/* what was read; the input itself, if it is a file; or -1 */
	uint64_t base;	/* the offset in @log at which it begins */
	uint64_t kept;	/* bytes that were read so far */
	uint64_t at;	/* bytes of these that the present root has got */
	size_t offered; /* bytes that were offered and not taken yet */
	bool ended;
};

/*
 * stn_input_init: standard input is not read before.
 * @keeps  a later root may need it
 */
void stn_input_init(struct stn_input *input, bool keeps);
void stn_input_fini(struct stn_input *input);

/*
 * stn_input_fd: the descriptor to poll for POLLIN before stn_input_read or
 * stn_input_offer. -1: this process may not read the terminal now, because it
 * is in the background; the caller asks again some time later.
 */
int stn_input_fd(const struct stn_input *input);

/*
 * stn_input_read: reads the next bytes for the root, @most at most. Returns
 * their number; 0 at the end of the input; -1 if there are none now.
 */
ssize_t stn_input_read(struct stn_input *input, void *bytes, size_t most);

/*
 * stn_input_offer: writes the next bytes to @pipe, which is empty. Returns as
 * stn_input_read. The next call is stn_input_taken.
 * stn_input_taken: the root has read all offered bytes but the last @left.
 */
ssize_t stn_input_offer(struct stn_input *input, int pipe);
void stn_input_taken(struct stn_input *input, size_t left);

/* stn_input_restart: another root reads the input from its beginning. */
void stn_input_restart(struct stn_input *input);

#endif
