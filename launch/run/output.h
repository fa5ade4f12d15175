/*
 * output.h: text of nodes that the launcher prints, on its way to standard
 * output or standard error. All zeros: no text. One thread.
 */
#ifndef STN_LAUNCH_RUN_OUTPUT_H
#define STN_LAUNCH_RUN_OUTPUT_H

#include "launch/wireup/bytes.h"

struct stn_output {
	struct stn_bytes waiting; /* not printed yet */
	bool ended;		  /* it can't be written any more */
};

/* stn_output_add: adds bytes at the end. False: no memory. */
bool stn_output_add(struct stn_output *output, const void *bytes, size_t size);

/* stn_output_waits: are there bytes to print? */
bool stn_output_waits(const struct stn_output *output);

/* stn_output_is_full: no more should be added for now. */
bool stn_output_is_full(const struct stn_output *output);

/*
 * stn_output_write: writes some bytes to @fd; poll() has said that it can be
 * written. Text of other launchers that write to @fd, too, comes between lines,
 * if these have up to STN_LINE_BYTES in a file, or up to PIPE_BUF elsewhere.
 * After a failure, @why says it, and all output is dropped.
 */
STN_CHECKED enum stn_err stn_output_write(struct stn_output *output, int fd,
					  struct stn_why *why);

/* stn_output_drop: drops the output, and all that is added later. */
void stn_output_drop(struct stn_output *output);

void stn_output_fini(struct stn_output *output);

#endif
