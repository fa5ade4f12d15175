#include "launch/gateway/gateway.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "launch/gateway/gateway_private.h"

#define LINGER_MS 1000

static void
gateway_attend(struct gateway *gateway)
{
	uint64_t now;

	gateway_loop_wait(&gateway->loop);
	now = gateway_now();
	gateway_listeners_attend(gateway, now);
	gateway_discover(gateway, now);
	gateway_expire_pending(gateway, now);
	gateway_heartbeat(gateway, now);
	gateway_check_command(gateway, now);
	gateway_nodes_attend(gateway, now);
	gateway_membership_attend(gateway, now);
	gateway_summary_attend(gateway);
	if (gateway->membership.begun)
		gateway_release(gateway); /* a line or a view may have come */
	gateway_late_attend(gateway);
	gateway_leave_attend(gateway);
	gateway_control_attend(gateway, now);
	gateway_say_attend(gateway, now);
	if (gateway->members.layout_known && gateway->options->silence_ns)
		stn_switch_check_readers(&gateway->hub, now,
					 gateway->options->silence_ns);
	gateway_check_attribution(gateway, now);
	stn_switch_flush(&gateway->hub);
	gateway_loop_free_dead(&gateway->loop);
}

/* Before the command has been started, a failure ends the run at once. */
static bool
gateway_continues(const struct gateway *gateway)
{
	if (gateway->command.pid)
		return true;
	if (gateway->failure.declared)
		return false;
	if (gateway->membership.parting && !gateway->over)
		return true;
	return !gateway->begun ||
	       (*gateway->failure.cause.text && !gateway->over);
}

/*
 * Lets the other gateways read what was sent last: waits until they have closed
 * the trunks, but for a second at most. Until the layout is known, the entry
 * stays: a gateway that has not found it yet accepts no trunk from here.
 */
static void
gateway_linger(struct gateway *gateway)
{
	uint64_t end = gateway_now() + LINGER_MS * 1000000ull;
	bool some;

	if (gateway->members.layout_known)
		stn_meeting_leave(gateway->meeting);
	stn_switch_flush(&gateway->hub);
	for (uint32_t i = 0; i < gateway->known; i++) {
		struct connection *trunk = gateway->clusters[i].trunk;

		if (trunk && !stn_stream_unsent(&trunk->port.stream))
			shutdown(trunk->port.stream.fd, SHUT_WR);
	}
	gateway->over = true;
	do {
		gateway_attend(gateway);
		some = false;
		for (uint32_t i = 0; i < gateway->known; i++)
			some = some || gateway->clusters[i].trunk;
	} while (some && gateway_now() < end);
}

/* The token is a secret. The identity differs from all other gateways'. */
static bool
draw_random(struct gateway *gateway)
{
	const ssize_t token = sizeof(gateway->token);
	const ssize_t identity = sizeof(gateway->discovery.entry.identity);

	return getrandom(gateway->token, sizeof(gateway->token), 0) == token &&
	       getrandom(&gateway->discovery.entry.identity, sizeof(uint64_t),
			 0) == identity;
}

/* A gateway has several connections of each node. */
static void
raise_limit_of_files(struct gateway *gateway)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	gateway->command.old_files = files.rlim_cur;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static enum stn_err
gateway_prepare(struct gateway *gateway, struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;
	enum stn_err err;

	raise_limit_of_files(gateway);
	gateway->discovery.give_up_ns = gateway_now() + options->wait_ns;
	gateway->clusters =
		calloc(STN_CLUSTERS_MOST, sizeof(gateway->clusters[0]));
	gateway->discovery.entry.clusters = options->clusters;
	gateway->discovery.entry.max_nodes = options->max_nodes;
	gateway->discovery.entry.max_clusters = options->max_clusters;
	gateway->late.max_nodes = options->max_nodes;
	gateway->late.max_clusters = options->max_clusters;
	gateway->late.next = options->clusters;
	gateway->late.found =
		calloc(STN_CLUSTERS_MOST, sizeof(gateway->clusters[0]));
	if (!gateway->clusters || !gateway->late.found || !draw_random(gateway))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = gateway_loop_init(&gateway->loop, gateway, why);
	if (!err)
		err = gateway_open_signals(gateway, why);
	if (!err)
		err = stn_tls_create(options->run, options->cluster,
				     options->secret, options->secret_bytes,
				     &gateway->tls, why);
	if (!err)
		err = gateway_open_listeners(gateway, &gateway->discovery.entry,
					     why);
	return err ? err
		   : stn_meeting_open(options->at, options->run,
				      options->cluster, &gateway->meeting, why);
}

static void
free_ports(struct gateway *gateway)
{
	struct stn_switch *hub = &gateway->hub;

	for (size_t i = 0; hub->nodes && i < hub->cells; i++)
		if (hub->nodes[i])
			gateway_switch_calls.lost(gateway, hub->nodes[i], "");
	for (uint32_t i = 0; hub->trunks && i < hub->clusters; i++)
		if (hub->trunks[i])
			gateway_switch_calls.lost(gateway, hub->trunks[i], "");
	stn_switch_fini(hub);
}

static void
gateway_fini(struct gateway *gateway)
{
	struct pending *at;

	LIST_FOREACH (at, &gateway->pending.all, link)
		gateway_close_pending(gateway, at, NULL);
	free_ports(gateway);
	gateway_nodes_close(gateway);
	gateway_fini_members(gateway);
	gateway_membership_close(gateway);
	gateway_late_fini(gateway);
	stn_meeting_close(gateway->meeting);
	stn_tls_destroy(gateway->tls);
	gateway_close_listeners(gateway);
	gateway_close_signals(gateway);
	gateway_loop_fini(&gateway->loop);
	for (uint32_t i = 0; i < gateway->known; i++) {
		stn_bytes_fini(&gateway->clusters[i].cards.bytes);
		stn_bytes_fini(&gateway->clusters[i].next.bytes);
	}
	free(gateway->clusters);
}

/*
 * Tells the other gateways, except about a failure that another gateway has
 * reported: that gateway tells all.
 */
static void
failure_declared(struct gateway *gateway, const char *reason)
{
	if (!gateway->failure.reported)
		gateway_tell_gateways(gateway,
				      gateway->failure.interrupted
					      ? STN_TRUNK_INTERRUPTED
					      : STN_TRUNK_FAILED,
				      reason, strlen(reason));
	gateway_end_command(gateway);
}

static void
give_view(struct gateway *gateway, uint32_t root,
	  const struct stn_change *changes, uint32_t count)
{
	size_t bytes = count * sizeof(changes[0]);
	unsigned char *body = malloc(sizeof(root) + bytes);

	if (!body) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	memcpy(body, &root, sizeof(root));
	memcpy(body + sizeof(root), changes, bytes);
	gateway_tell_member(gateway, root - gateway->hub.first[gateway->mine],
			    STN_WIREUP_VIEW, body, sizeof(root) + bytes);
	free(body);
}

static void
lose_silent(struct gateway *gateway, uint32_t index)
{
	if (gateway->clusters[index].joining)
		gateway_late_drop(gateway,
				  "its gateway has been silent for too long");
	else
		gateway_lose_cluster(gateway, index,
				     "has been silent for too long");
}

static const struct membership_calls membership_calls = {
	.give = give_view,
	.fence = gateway_nodes_fence,
	.fewer = gateway_release,
	.ready = gateway_late_ready,
};

static const struct pending_calls pending_calls = {
	.proved = gateway_send_hello,
	.ready = gateway_read_pending,
	.handshake = gateway_take_handshake,
	.look = gateway_look,
};

int
stn_gateway_run(const struct stn_gateway_options *options)
{
	struct gateway gateway = {
		.options = options,
		.loop.epoll = -1,
		.loop.woke = gateway_woke,
		.failure.declared_call = failure_declared,
		.pending.calls = &pending_calls,
		.heartbeat.silent = lose_silent,
		.membership.calls = &membership_calls,
		.command.signals = -1,
	};
	struct stn_why why;

	if (gateway_prepare(&gateway, &why)) {
		gateway_fail(&gateway, "%s", why.text);
	} else {
		gateway_control_open(&gateway);
		while (gateway_continues(&gateway))
			gateway_attend(&gateway);
		gateway_linger(&gateway);
		if (!gateway.membership.parted)
			gateway_explain_status(&gateway);
	}
	gateway_control_close(&gateway);
	gateway_fini(&gateway);
	gateway_say_rest(&gateway);
	if (gateway.failure.declared && !gateway.command.status)
		return EXIT_FAILURE;
	if (gateway.membership.parted && !gateway.failure.declared)
		return EXIT_SUCCESS;
	return gateway.command.status;
}
