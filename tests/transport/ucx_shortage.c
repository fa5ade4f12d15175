/*
 * ucx_shortage.c: UCX has no memory for a message, or for an endpoint. The send
 * fails for lack of memory. The receiver does not count as dead: later messages
 * reach it. A message without a done callback is not lost in silence.
 */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/tap.h"
#include "transport/ucx/ucx.h"

#define NODES 2
#define LARGE ((size_t)1 << 20)

struct node {
	struct stn_topology topology;
	struct stn_transport *transport;
	unsigned seen, dead, done;
	enum stn_err err; /* of the last send that is done */
};

static unsigned char memory[LARGE], landing[LARGE];

static void
taken(void *arg, enum stn_err err)
{
	struct node *node = arg;

	node->seen += !err;
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct node *node = arg;
	const struct iovec piece = { landing, message->payload_bytes };

	stn_transport_take(node->transport, message, &piece, 1, taken, node);
}

static void
on_peer_event(void *arg, uint32_t rank, enum stn_peer_state state,
	      const char *how)
{
	struct node *node = arg;

	(void)rank;
	(void)how;
	node->dead += state == STN_PEER_DEAD;
}

static void
sent(void *arg, enum stn_err err)
{
	struct node *node = arg;

	node->done++;
	node->err = err;
}

static bool
node_open(struct node *node, uint32_t rank)
{
	const struct stn_opening opening = {
		.topology = &node->topology,
		.rank = rank,
		.provider = "shm",
		.handler = handle,
		.peer_event = on_peer_event,
		.arg = node,
	};
	struct stn_why why;

	memset(node, 0, sizeof(*node));
	node->topology.nodes = NODES;
	node->topology.clusters = 1;
	if (!stn_transport_open("ucx", &opening, &node->transport, &why))
		return true;
	printf("# %s\n", why.text);
	return false;
}

static bool
pair_open(struct node nodes[NODES])
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct stn_why why;
	bool met = node_open(&nodes[0], 0) && node_open(&nodes[1], 1);

	for (uint32_t i = 0; met && i < NODES; i++) {
		size_t bytes =
			stn_transport_address(nodes[i].transport, address);

		met = !stn_transport_connect(nodes[!i].transport, i, address,
					     bytes, &why);
	}
	return met;
}

/* Returns how the send of a payload of @bytes ended. */
static enum stn_err
post(struct node nodes[NODES], size_t bytes)
{
	const struct iovec piece = { memory, bytes };
	unsigned done = nodes[0].done;

	stn_transport_send(nodes[0].transport, 1, 1, "head", 4, &piece,
			   bytes > 0, sent, &nodes[0]);
	while (nodes[0].done == done)
		for (uint32_t i = 0; i < NODES; i++)
			stn_transport_progress(nodes[i].transport);
	return nodes[0].err;
}

static ucs_status_ptr_t
starved_send(ucp_ep_h endpoint, unsigned id, const void *header,
	     size_t header_bytes, const void *buffer, size_t count,
	     const ucp_request_param_t *params)
{
	(void)endpoint;
	(void)id;
	(void)header;
	(void)header_bytes;
	(void)buffer;
	(void)count;
	(void)params;
	return UCS_STATUS_PTR(UCS_ERR_NO_MEMORY);
}

static ucs_status_t
starved_create(ucp_worker_h worker, const ucp_ep_params_t *params,
	       ucp_ep_h *endpoint_p)
{
	(void)worker;
	(void)params;
	*endpoint_p = NULL;
	return UCS_ERR_NO_RESOURCE;
}

/* Does the process end by a signal if it sends a message without a done? */
static bool
aborts(struct node nodes[NODES])
{
	const struct rlimit none = { 0, 0 };
	pid_t child = fork();
	int status = 0;

	if (!child) {
		setrlimit(RLIMIT_CORE, &none);
		stn_transport_send(nodes[0].transport, 1, 1, "head", 4, NULL, 0,
				   NULL, NULL);
		_exit(EXIT_SUCCESS);
	}
	return child > 0 && waitpid(child, &status, 0) == child &&
	       WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

int
main(void)
{
	struct node nodes[NODES];
	struct ucx_library library;
	struct ucx *ucx;

	tap_begin();
	if (!pair_open(nodes)) {
		tap_skip("UCX has no memory", "UCX");
		return tap_end();
	}
	ucx = (struct ucx *)nodes[0].transport;
	library = ucx->library;
	ucx->library.ep_create = starved_create;
	tap_ok(post(nodes, 100) == STN_NO_MEMORY &&
		       post(nodes, LARGE) == STN_NO_MEMORY,
	       "without memory for an endpoint, sends fail for that reason");
	tap_ok(aborts(nodes), "a message that nobody waits for aborts");
	ucx->library.ep_create = library.ep_create;
	tap_ok(post(nodes, 100) == STN_OK, "the next send makes the endpoint");
	ucx->library.am_send_nbx = starved_send;
	tap_ok(post(nodes, 0) == STN_NO_MEMORY &&
		       post(nodes, 100) == STN_NO_MEMORY &&
		       post(nodes, LARGE) == STN_NO_MEMORY,
	       "without memory for messages, sends fail for that reason");
	tap_ok(aborts(nodes), "a message that nobody waits for aborts");
	ucx->library.am_send_nbx = library.am_send_nbx;
	tap_ok(post(nodes, LARGE) == STN_OK && nodes[1].seen == 2 &&
		       !nodes[0].dead && !nodes[1].dead,
	       "later messages arrive: no node counts as dead");
	for (uint32_t i = 0; i < NODES; i++)
		stn_transport_close(nodes[i].transport, 0);
	return tap_end();
}
