/*
 * control.h: what a launcher and its agents, one on each host, say to each
 * other through ssh. An agent begins with a line,
 *
 *	sateen agent VERSION: N nodes
 *
 * where N is how many its host should have by --per. A host's shell may have
 * printed other lines before it. From then on both speak in frames, in the byte
 * order of all that Sateen sends:
 *
 *	0 type (32 bits)  4 about (32 bits)  8 size (32 bits)  12 size bytes
 *
 *	launcher to agent
 *	START	be the nodes from rank `about` on; see stn_control_start_parse
 *	TELL	a wire-up frame of type `about` and its body, to all its nodes
 *	INPUT	of node 0's standard input; empty: its end
 *
 *	agent to launcher
 *	SAID	by node `about`: a wire-up frame: its type (32 bits), its body
 *	OUTPUT	of node `about`: whole lines, unless they are very long
 *	ENDED	node `about`; with its wait status (32 bits)
 *	TAKEN	`about` bytes of input
 *	FAILED	the agent can't go on, for the reason in the text
 *
 * The launcher's end of file is the end of the run: the agent's nodes are
 * killed.
 */
#ifndef STN_STEAL_LAUNCH_CONTROL_H
#define STN_STEAL_LAUNCH_CONTROL_H

#include <stdint.h>

#include "steal/bytes.h"
#include "transport/wireup/wireup_frame.h"

#define STN_CONTROL_BYTES 12	      /* of a frame's head */
#define STN_CONTROL_TEXTS (16u << 20) /* of START and TELL at most */
#define STN_CONTROL_LINES 65536	      /* of OUTPUT and INPUT at most */
#define STN_CONTROL_HELLO 160	      /* of the first line at most */

enum stn_control_type {
	STN_CONTROL_START = 1,
	STN_CONTROL_TELL,
	STN_CONTROL_INPUT,
	STN_CONTROL_SAID,
	STN_CONTROL_OUTPUT,
	STN_CONTROL_ENDED,
	STN_CONTROL_TAKEN,
	STN_CONTROL_FAILED
};

struct stn_control {
	uint32_t type, about, size;
	const unsigned char *body;
};

/* What nodes are started with; its texts lie in the frame's body. */
struct stn_control_start {
	uint32_t first, count; /* ranks */
	const char *directory;
	char **settings; /* NAME=VALUE, and NULL */
	char **program;	 /* with its arguments, and NULL */
};

/* stn_control_hello: the first line of an agent that has @nodes to offer. */
void stn_control_hello(char line[STN_CONTROL_HELLO], uint32_t nodes);

/*
 * stn_control_greet: is this line, which ends with a zero, an agent's first?
 * STN_MISSING if it isn't; STN_INVALID if the agent is of another version,
 * which @why says.
 */
STN_CHECKED enum stn_err stn_control_greet(const char *line, uint32_t *nodes_p,
					   struct stn_why *why);

/* stn_control_add: appends a frame. False: no memory. */
bool stn_control_add(struct stn_bytes *bytes, enum stn_control_type type,
		     uint32_t about, const void *body, size_t size);

/*
 * stn_control_parse: the frame at the front of @size bytes. @control_p points
 * into them.
 * STN_OK: it is whole, and STN_CONTROL_BYTES + its size long; STN_MISSING: more
 * of it must come; STN_MALFORMED.
 */
STN_CHECKED enum stn_err stn_control_parse(const unsigned char *bytes,
					   size_t size,
					   struct stn_control *control_p);

/*
 * stn_control_start_add: START, appended to @bytes. False: no memory, or more
 * than STN_CONTROL_TEXTS.
 */
bool stn_control_start_add(struct stn_bytes *bytes,
			   const struct stn_control_start *start);

/*
 * stn_control_start_parse: takes START apart: how many nodes (32 bits), and
 * texts that end with a zero each: the directory, settings, an empty one, and
 * the program with its arguments. The two arrays are the caller's to free; both
 * are NULL on failure. STN_MALFORMED or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_control_start_parse(const struct stn_control *control,
			struct stn_control_start *start_p);

#endif
