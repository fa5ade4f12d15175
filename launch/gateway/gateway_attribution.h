/*
 * gateway_attribution.h: failure attribution: which of several failures is the
 * one to report. A node's death ends other nodes, commands and connections; the
 * user should read about the death, and all clusters should report the same.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_ATTRIBUTION_H
#define STN_LAUNCH_GATEWAY_GATEWAY_ATTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/error.h"

struct gateway;

struct failure {
	/* Called once, when a failure is declared. */
	void (*declared_call)(struct gateway *gateway, const char *reason);
	bool declared; /* the run has failed, and the user has been told why */
	bool reported; /* by another gateway, which tells all */
	bool interrupted; /* the user has interrupted the run */
	struct stn_why cause; /* to be declared at due_ns; "": none */
	uint64_t due_ns;
	/*
	 * The node whose end may be the reason for the cause, so that a report
	 * on this node replaces the cause. STN_NOBODY: none is better.
	 */
	uint32_t node;
};

/*
 * gateway_fail: declares the run's failure and prints the reason. Later calls
 * do nothing.
 */
void gateway_fail(struct gateway *gateway, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * gateway_end_part: ends this cluster's part of the run, and prints the reason.
 * The other clusters go on.
 */
void gateway_end_part(struct gateway *gateway, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * These calls note a cause that is declared a moment later, unless this gateway
 * or another finds a better one. From the least to the most specific:
 *
 * gateway_attribute_command: the command has ended. @signal killed it, or is 0.
 *     A kill is the most specific cause of all. After the run the @status is
 *     not reported if it may be main's.
 * gateway_attribute_connection: node @rank's connection for segments is lost
 * gateway_attribute_missed: node @by gives up because node @missed is gone. The
 *     end of node @by is then no cause itself.
 * gateway_attribute_node: node @rank of the run, @in_cluster of this cluster,
 *     has ended without a word
 */
void gateway_attribute_command(struct gateway *gateway, int signal, int status,
			       bool mains);
void gateway_attribute_connection(struct gateway *gateway, uint32_t rank,
				  const char *how);
void gateway_attribute_missed(struct gateway *gateway, uint32_t by,
			      uint32_t missed, const char *text);
void gateway_attribute_node(struct gateway *gateway, uint32_t rank,
			    uint32_t in_cluster);

/* gateway_check_attribution: declares the cause when it is due. */
void gateway_check_attribution(struct gateway *gateway, uint64_t now);

/*
 * gateway_explain_status: after a run that has not failed: prints the cause, if
 * there is one, of the command's failure.
 */
void gateway_explain_status(struct gateway *gateway);

#endif
