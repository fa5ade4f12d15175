/*
 * gateway_doubt.c: why the run has failed. Of the many ends that follow from
 * one, the user should hear of that one, and in all clusters the same.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "transport/wan/gateway_own.h"

#define DOUBT_NS (STN_SECOND_NS / 2)
#define MISSED_NS STN_SECOND_NS /* its own gateway is to be first */

void
gateway_fail(struct gateway *gateway, const char *format, ...)
{
	struct stn_why why;
	va_list list;

	if (gateway->failed)
		return;
	gateway->failed = true;
	va_start(list, format);
	vsnprintf(why.text, sizeof(why.text), format, list);
	va_end(list);
	gateway_say(gateway, "%s", why.text);
	if (!gateway->told)
		gateway_tell(gateway, STN_TRUNK_FAILED, why.text,
			     strlen(why.text));
	gateway_end_command(gateway);
}

/* Is nothing better known than that this node is gone? */
static bool
may_blame(const struct gateway *gateway, uint32_t rank)
{
	return !*gateway->doubt.text || gateway->missed == rank ||
	       gateway->missed == GATEWAY_COMMAND;
}

static void doubt(struct gateway *gateway, uint32_t missed, const char *format,
		  ...) __attribute__((format(printf, 3, 4)));

/*
 * The run will have failed, in a moment, for this reason or a better one. If it
 * is over, or is before that moment, it may still be why the command failed.
 */
static void
doubt(struct gateway *gateway, uint32_t missed, const char *format, ...)
{
	bool node = missed != STN_NOBODY && missed != GATEWAY_COMMAND;
	va_list list;

	if (gateway->failed)
		return;
	va_start(list, format);
	vsnprintf(gateway->doubt.text, sizeof(gateway->doubt.text), format,
		  list);
	va_end(list);
	gateway->missed = missed;
	gateway->doubt_ns = gateway_now() + (node ? MISSED_NS : DOUBT_NS);
}

void
gateway_doubt_missed(struct gateway *gateway, uint32_t by, uint32_t missed,
		     const char *text)
{
	if (may_blame(gateway, by))
		doubt(gateway, missed, "%s", text);
}

void
gateway_doubt_road(struct gateway *gateway, uint32_t rank, const char *how)
{
	bool ended = !strcmp(how, STN_SWITCH_ENDED);

	if (!*gateway->doubt.text || gateway->missed == GATEWAY_COMMAND)
		doubt(gateway, ended ? rank : STN_NOBODY,
		      "node %" PRIu32 ": %s", rank, how);
}

/* Before all have come, its end may follow from that of one that hasn't. */
void
gateway_doubt_node(struct gateway *gateway, uint32_t rank, uint32_t in_cluster)
{
	const char *cluster = gateway->options->cluster;

	if (gateway->over || !may_blame(gateway, rank))
		return;
	if (gateway->planned)
		doubt(gateway, STN_NOBODY,
		      "node %" PRIu32 " of cluster %s (node %" PRIu32
		      " of the run) has died, or left the run early",
		      in_cluster, cluster, rank);
	else if (gateway->present == gateway->size)
		doubt(gateway, STN_NOBODY,
		      "node %" PRIu32 " of cluster %s has died, or left",
		      in_cluster, cluster);
	else
		doubt(gateway, STN_NOBODY,
		      "a node of cluster %s has died, or left", cluster);
}

void
gateway_doubt_command(struct gateway *gateway, int signal, int status)
{
	const char *command = gateway->options->command[0];

	if (signal)
		doubt(gateway, STN_NOBODY, "%s was killed by signal %d, %s",
		      command, signal, strsignal(signal));
	else if (!*gateway->doubt.text && !gateway->over)
		doubt(gateway, GATEWAY_COMMAND,
		      "%s ended (status %d) before the run was over", command,
		      status);
	else if (!*gateway->doubt.text && status && gateway->mine)
		doubt(gateway, GATEWAY_COMMAND,
		      "%s ended with status %d after the run", command, status);
}

void
gateway_look_at_doubt(struct gateway *gateway, uint64_t now)
{
	if (*gateway->doubt.text && now > gateway->doubt_ns && !gateway->over)
		gateway_fail(gateway, "%s", gateway->doubt.text);
}

/* The nodes, and their launcher, leave it to us to say why they failed. */
void
gateway_explain_status(struct gateway *gateway)
{
	if (gateway->status && !gateway->failed && *gateway->doubt.text)
		gateway_say(gateway, "%s", gateway->doubt.text);
}
