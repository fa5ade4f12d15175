/*
 * gateway_attribution.c: why the run has failed. A cause waits for a moment
 * before it is declared, as the reports about one death come in any order.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"

/* Instead of a node: the command has ended. */
#define ATTRIBUTED_COMMAND (STN_NOBODY - 1)

#define ATTRIBUTE_NS (STN_SECOND_NS / 2)
/* Longer than ATTRIBUTE_NS, so that the missed node's own gateway reports
 * first. */
#define ATTRIBUTE_MISSED_NS STN_SECOND_NS

void
gateway_fail(struct gateway *gateway, const char *format, ...)
{
	struct stn_why why;
	va_list list;

	if (gateway->failure.declared)
		return;
	gateway->failure.declared = true;
	va_start(list, format);
	vsnprintf(why.text, sizeof(why.text), format, list);
	va_end(list);
	gateway_say(gateway, "%s", why.text);
	gateway->failure.declared_call(gateway, why.text);
}

void
gateway_end_part(struct gateway *gateway, const char *format, ...)
{
	struct stn_why why;
	va_list list;

	va_start(list, format);
	vsnprintf(why.text, sizeof(why.text), format, list);
	va_end(list);
	if (!gateway->failure.declared)
		gateway->failure.reported = true; /* so others go on */
	gateway_fail(gateway, "%s", why.text);
}

/* Is there no cause yet, or one that the end of node @rank may explain? */
static bool
may_attribute(const struct gateway *gateway, uint32_t rank)
{
	return !*gateway->failure.cause.text || gateway->failure.node == rank ||
	       gateway->failure.node == ATTRIBUTED_COMMAND;
}

static void attribute(struct gateway *gateway, uint32_t attributed_node,
		      const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Notes a cause, which is declared a moment later unless a better one replaces
 * it. If the run is over by then, the cause may still explain why the command
 * has failed.
 * @attributed_node  for failure.node
 */
static void
attribute(struct gateway *gateway, uint32_t attributed_node, const char *format,
	  ...)
{
	bool node = attributed_node != STN_NOBODY &&
		    attributed_node != ATTRIBUTED_COMMAND;
	va_list list;

	if (gateway->failure.declared)
		return;
	va_start(list, format);
	vsnprintf(gateway->failure.cause.text,
		  sizeof(gateway->failure.cause.text), format, list);
	va_end(list);
	gateway->failure.node = attributed_node;
	gateway->failure.due_ns =
		gateway_now() + (node ? ATTRIBUTE_MISSED_NS : ATTRIBUTE_NS);
}

void
gateway_attribute_missed(struct gateway *gateway, uint32_t by,
			 uint32_t attributed_node, const char *text)
{
	if (may_attribute(gateway, by))
		attribute(gateway, attributed_node, "%s", text);
}

void
gateway_attribute_connection(struct gateway *gateway, uint32_t rank,
			     const char *how)
{
	bool ended = !strcmp(how, STN_SWITCH_ENDED);

	if (!*gateway->failure.cause.text ||
	    gateway->failure.node == ATTRIBUTED_COMMAND)
		attribute(gateway, ended ? rank : STN_NOBODY,
			  "node %" PRIu32 ": %s", rank, how);
}

/*
 * While nodes are still starting, this node may have ended because another one
 * could not start.
 */
void
gateway_attribute_node(struct gateway *gateway, uint32_t rank,
		       uint32_t in_cluster)
{
	const char *cluster = gateway->options->cluster;

	if (gateway->over || !may_attribute(gateway, rank))
		return;
	if (gateway->members.layout_known)
		attribute(gateway, STN_NOBODY,
			  "node %" PRIu32 " of cluster %s (node %" PRIu32
			  " of the run) has died, or left the run early",
			  in_cluster, cluster, rank);
	else if (gateway->members.present == gateway->members.size)
		attribute(gateway, STN_NOBODY,
			  "node %" PRIu32 " of cluster %s has died, or left",
			  in_cluster, cluster);
	else
		attribute(gateway, STN_NOBODY,
			  "a node of cluster %s has died, or left", cluster);
}

void
gateway_attribute_command(struct gateway *gateway, int signal, int status,
			  bool mains)
{
	const char *command = gateway->options->command[0];

	if (signal)
		attribute(gateway, STN_NOBODY, "%s was killed by signal %d, %s",
			  command, signal, strsignal(signal));
	else if (!*gateway->failure.cause.text && !gateway->over)
		attribute(gateway, ATTRIBUTED_COMMAND,
			  "%s ended (status %d) before the run was over",
			  command, status);
	else if (!*gateway->failure.cause.text && status && !mains)
		attribute(gateway, ATTRIBUTED_COMMAND,
			  "%s ended with status %d after the run", command,
			  status);
}

void
gateway_check_attribution(struct gateway *gateway, uint64_t now)
{
	if (*gateway->failure.cause.text && now > gateway->failure.due_ns &&
	    !gateway->over)
		gateway_fail(gateway, "%s", gateway->failure.cause.text);
}

/*
 * Nodes and their launcher leave it to the gateway to report why they failed.
 */
void
gateway_explain_status(struct gateway *gateway)
{
	if (gateway->command.status && !gateway->failure.declared &&
	    *gateway->failure.cause.text)
		gateway_say(gateway, "%s", gateway->failure.cause.text);
}
