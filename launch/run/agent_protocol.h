/*
 * agent_protocol.h: how a launcher and its agents, one on each host, begin to
 * speak through ssh. The launcher starts `sateen agent PER SILENCE`, and the
 * agent begins with a line,
 *
 *	sateen agent VERSION: N nodes
 *
 * where N is how many nodes its host should have by --per. The host's shell may
 * have printed other lines before this line. From then on both send frames, see
 * wireup_frame.h. The launcher's first order to an agent is START, or PROBE to
 * the agent of a host that joins the run. From the first line on the agent has a
 * lease (lease.h), if SILENCE is not 0.
 *
 * When the launcher closes its end, the run is over, and the agent kills its
 * nodes.
 */
#ifndef STN_LAUNCH_RUN_AGENT_PROTOCOL_H
#define STN_LAUNCH_RUN_AGENT_PROTOCOL_H

#include <stdint.h>

#include "launch/wireup/wireup_frame.h"
#include "node/config.h"

#define STN_AGENT_GREETING 160 /* bytes of the first line at most */

/* What nodes are started with. The texts are in the START frame. */
struct stn_agent_start {
	uint32_t first, count; /* ranks */
	const char *directory;
	char **settings; /* NAME=VALUE, and NULL */
	char **program;	 /* with its arguments, and NULL */
};

/*
 * stn_agent_greeting_write: the first line of an agent whose host should have
 * @nodes nodes. An empty line comes before it, because the host's shell may have
 * printed text without an end of line.
 */
void stn_agent_greeting_write(char line[STN_AGENT_GREETING], uint32_t nodes);

/*
 * stn_agent_greeting_read: is @line, which ends with a zero, an agent's first?
 * STN_MISSING if it is not; STN_INVALID if the agent is of another version,
 * which @why says.
 */
STN_CHECKED enum stn_err stn_agent_greeting_read(const char *line,
						 uint32_t *nodes_p,
						 struct stn_why *why);

/*
 * stn_agent_start_add: appends a START frame to @bytes. False: no memory, or
 * more than STN_WIREUP_TEXTS bytes.
 */
bool stn_agent_start_add(struct stn_bytes *bytes,
			 const struct stn_agent_start *start);

/*
 * stn_agent_start_parse: reads a START frame: the rank of the first node, and
 * in the body the number of nodes (32 bits), and texts that end with a zero
 * each: the directory, the settings, an empty text, and the program with its
 * arguments. The caller frees the two arrays; both are NULL on failure.
 * STN_MALFORMED or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_agent_start_parse(const struct stn_wireup_frame *frame,
		      struct stn_agent_start *start_p);

/*
 * stn_agent: runs the command `sateen agent [PER [SILENCE]]`. Returns the exit
 * status of the process when all nodes of the agent have ended.
 */
int stn_agent(int argc, char **argv);

/*
 * stn_agent_here: the calling process is the agent of one node. Another
 * launcher has started it, which has also set its directory and environment.
 * Returns its exit status when the launcher has ended. The node has the same
 * connection, so the launcher notices the death of this process only when the
 * node has died, too.
 * @socket   to the launcher; it blocks
 * @path     the node's file
 * @program  the node's arguments
 */
int stn_agent_here(int socket, const struct stn_config *config,
		   const char *path, char **program);

#endif
