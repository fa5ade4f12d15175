/* ucx_open.c: opens and closes an endpoint, which UCX calls a worker. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "transport/backends.h"
#include "transport/ucx/ucx.h"
#include "transport/ucx/ucx_config.h"
#include "transport/ucx/ucx_endpoint.h"
#include "transport/ucx/ucx_send.h"

#define RELEASE_NS                                                             \
	STN_SECOND_NS /* how long UCX may take to end all operations */

/* The beginning of an endpoint's address. UCX's own address follows. */
struct head {
	uint32_t magic;
	uint32_t hash; /* of the cookie, the provider's name, UCX's address */
	uint32_t cookie;
};

#define MAGIC 0x78636e73u /* "sncx" */
/* An address may contain those of other transports, too. */
#define MOST_BYTES (STN_ADDRESS_BYTES - 256 - sizeof(struct head))

static uint32_t
hash_more(uint32_t hash, const void *bytes, size_t size)
{
	for (const unsigned char *at = bytes; size--; at++)
		hash = (hash ^ *at) * 16777619u;
	return hash;
}

/* Without the hash, UCX would accept any address, and crash on some of them. */
static struct head
make_head(const struct ucx *ucx, uint32_t cookie, const void *address,
	  size_t bytes)
{
	const char *provider = ucx->base.opening.provider;
	uint32_t hash = hash_more(2166136261u, &cookie, sizeof(cookie));

	hash = hash_more(hash, provider, strlen(provider));
	return (struct head){ MAGIC, hash_more(hash, address, bytes), cookie };
}

static enum stn_err
open_context(const struct ucx_library *library,
	     const struct stn_opening *opening, ucp_context_h *context_p,
	     struct stn_why *why)
{
	ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES |
			      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
		.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
		.estimated_num_eps = opening->topology->nodes,
	};
	ucp_config_t *config;
	ucs_status_t status;
	enum stn_err err = ucx_configure(library, opening, &config, why);

	if (err)
		return err;
	status = library->init_version(UCP_API_MAJOR, UCP_API_MINOR, &params,
				       config, context_p);
	library->config_release(config);
	if (status == UCS_OK)
		return STN_OK;
	return stn_because(why, STN_MISSING,
			   "UCX has no provider \"%s\" that serves here: %s; "
			   "see `sateen info`",
			   opening->provider, library->status_string(status));
}

static enum stn_err
ucx_failed(const struct ucx *ucx, const char *what, ucs_status_t status,
	   struct stn_why *why)
{
	const struct stn_opening *opening = &ucx->base.opening;

	if (status == UCS_ERR_BUSY && opening->port)
		return stn_because(why, STN_IN_USE,
				   "port %u of %s is in use; choose another "
				   "--ports",
				   opening->port, opening->address);
	return stn_because(why, STN_IO,
			   "UCX's %s: %s failed: %s; UCX_LOG_LEVEL=error "
			   "tells more",
			   opening->provider, what,
			   ucx->library.status_string(status));
}

static enum stn_err
open_worker(struct ucx *ucx, struct stn_why *why)
{
	ucp_worker_params_t params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SERIALIZED,
	};
	ucp_am_handler_param_t handler = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
			      UCP_AM_HANDLER_PARAM_FIELD_CB |
			      UCP_AM_HANDLER_PARAM_FIELD_ARG,
		.id = UCX_MESSAGE,
		.cb = ucx_arrived,
		.arg = ucx,
	};
	ucs_status_t status =
		ucx->library.worker_create(ucx->context, &params, &ucx->worker);

	if (status != UCS_OK) {
		ucx->worker = NULL;
		return ucx_failed(ucx, "opening a worker", status, why);
	}
	status = ucx->library.worker_set_am_recv_handler(ucx->worker, &handler);
	if (status == UCS_OK)
		status = ucx->library.worker_get_efd(ucx->worker,
						     &ucx->base.limits.fd);
	ucx->base.limits.costly = strstr(ucx->base.opening.provider, "tcp");
	if (!strcmp(ucx->base.opening.provider, "tcp"))
		ucx->base.limits.eager_bytes = UCX_TCP_EAGER_BYTES;
	return status == UCS_OK
		       ? STN_OK
		       : ucx_failed(ucx, "making it ready", status, why);
}

static enum stn_err
ucx_get_address(struct ucx *ucx, struct stn_why *why)
{
	ucs_status_t status = ucx->library.worker_get_address(
		ucx->worker, &ucx->address, &ucx->address_bytes);

	if (status != UCS_OK) {
		ucx->address = NULL;
		return ucx_failed(ucx, "asking for an address", status, why);
	}
	if (ucx->address_bytes <= MOST_BYTES)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "UCX's address has %zu bytes, and may have %zu; use "
			   "fewer devices by --provider or UCX_NET_DEVICES",
			   ucx->address_bytes, MOST_BYTES);
}

static void
free_ops(struct ucx *ucx)
{
	struct ucx_op *op;

	while ((op = STAILQ_FIRST(&ucx->free))) {
		STAILQ_REMOVE_HEAD(&ucx->free, link);
		free(op->pieces);
		free(op);
	}
}

static void
close_worker(struct ucx *ucx)
{
	if (ucx->leaked)
		return;
	if (ucx->address)
		ucx->library.worker_release_address(ucx->worker, ucx->address);
	if (ucx->worker)
		ucx->library.worker_destroy(ucx->worker);
	if (ucx->context)
		ucx->library.cleanup(ucx->context);
}

static void
ucx_init(struct ucx *ucx)
{
	STAILQ_INIT(&ucx->ended);
	STAILQ_INIT(&ucx->free);
	STAILQ_INIT(&ucx->deferred);
	ucx->rendezvous.transport = &ucx->base;
	ucx->rendezvous.ended = ucx_offer_ended;
	ucx->base.limits = (struct stn_limits){
		.inline_bytes = UCX_INLINE_BYTES,
		.eager_bytes = UCX_EAGER_BYTES,
		.pieces = SIZE_MAX,
		.fd = -1,
	};
	for (uint32_t i = 0; i < ucx->base.nodes; i++)
		ucx->peers[i].ucx = ucx;
}

static enum stn_err
ucx_open(struct stn_transport *transport, struct stn_why *why)
{
	const struct stn_opening *opening = &transport->opening;
	struct ucx *ucx = ucx_of(transport);
	enum stn_err err;

	if (getrandom(&ucx->cookie, sizeof(ucx->cookie), 0) !=
	    sizeof(ucx->cookie))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	ucx_init(ucx);
	err = ucx_library_load(&ucx->library, why);
	if (!err) {
		ucx->aborts = ucx_aborts(&ucx->library, opening->provider);
		err = open_context(&ucx->library, opening, &ucx->context, why);
	}
	if (!err)
		err = open_worker(ucx, why);
	if (!err)
		err = ucx_get_address(ucx, why);
	if (err)
		close_worker(ucx);
	return err;
}

/*
 * Calls progress until all operations and @request have ended. Returns false if
 * they have not by @end.
 */
static bool
progress_until(struct ucx *ucx, ucs_status_ptr_t request, uint64_t end)
{
	const struct ucx_library *library = &ucx->library;

	while (ucx->under_way ||
	       (request &&
		library->request_check_status(request) == UCS_INPROGRESS)) {
		if (stn_machine_now(&ucx->base) >= end)
			return false;
		ucx_progress(&ucx->base);
	}
	return true;
}

/*
 * Messages that UCX calls sent may still be in its buffers. UCX needs its
 * worker until the flush is over.
 */
static ucs_status_ptr_t
ucx_flush(struct ucx *ucx)
{
	static const ucp_request_param_t params = { .op_attr_mask = 0 };
	ucs_status_ptr_t request =
		ucx->library.worker_flush_nbx(ucx->worker, &params);

	return UCS_PTR_IS_PTR(request) ? request : NULL;
}

/* Ends operations that UCX has not ended. */
static void
cancel_rest(struct ucx *ucx)
{
	for (uint32_t i = 0; i < ucx->base.nodes; i++) {
		struct ucx_peer *peer = &ucx->peers[i];

		while (!LIST_EMPTY(&peer->ops))
			ucx_op_completed(LIST_FIRST(&peer->ops),
					 UCS_ERR_CANCELED);
	}
	ucx_run_ended(ucx);
}

static void
close_endpoints(struct ucx *ucx)
{
	for (uint32_t i = 0; i < ucx->base.nodes; i++) {
		ucx_say_goodbye(&ucx->peers[i]);
		ucx_close_endpoint(&ucx->peers[i]);
	}
	stn_rendezvous_abandon(&ucx->rendezvous, STN_RENDEZVOUS_ALL,
			       STN_CANCELLED);
}

/*
 * Calls progress only as long as necessary. A late message would begin a
 * connection, and UCX 1.13 aborts if the worker is destroyed before its answer
 * to that message has left.
 */
static void
ucx_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct ucx *ucx = ucx_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;
	ucs_status_ptr_t request = NULL;

	if (progress_until(ucx, NULL, end)) {
		request = ucx_flush(ucx);
		progress_until(ucx, request, end);
	}
	ucx_run_deferred(ucx);
	ucx->closing = true;
	close_endpoints(ucx);
	progress_until(ucx, request, stn_machine_now(transport) + RELEASE_NS);
	if (request)
		ucx->library.request_free(request);
	close_worker(ucx);
	cancel_rest(ucx);
	for (uint32_t i = 0; i < transport->nodes; i++)
		free(ucx->peers[i].address);
	free_ops(ucx);
}

static size_t
ucx_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	struct ucx *ucx = ucx_of(transport);
	struct head head =
		make_head(ucx, ucx->cookie, ucx->address, ucx->address_bytes);

	memcpy(address, &head, sizeof(head));
	memcpy(address + sizeof(head), ucx->address, ucx->address_bytes);
	return sizeof(head) + ucx->address_bytes;
}

static enum stn_err
ucx_connect(struct stn_transport *transport, uint32_t rank,
	    const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct ucx *ucx = ucx_of(transport);
	const unsigned char *theirs = address + sizeof(struct head);
	struct head head, right;
	unsigned char *copy;

	if (bytes <= sizeof(head))
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	bytes -= sizeof(head);
	memcpy(&head, address, sizeof(head));
	right = make_head(ucx, head.cookie, theirs, bytes);
	if (memcmp(&head, &right, sizeof(head)))
		return stn_because(why, STN_INVALID,
				   "node %u's address is none of UCX's "
				   "provider %s; use one provider on all nodes",
				   rank, ucx->base.opening.provider);
	copy = malloc(bytes);
	if (!copy)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	memcpy(copy, theirs, bytes);
	ucx_close_endpoint(&ucx->peers[rank]);
	free(ucx->peers[rank].address);
	ucx->peers[rank].address = copy;
	ucx->peers[rank].cookie = head.cookie;
	return STN_OK;
}

/*
 * Finds the names of transports in lines like "resource 3 : md 2 dev 3 flags --
 * posix/memory". UCX lists them in no other way.
 */
static void
list_transports(const char *text, FILE *out)
{
	char last[32] = "", name[32];

	while ((text = strstr(text, " -- "))) {
		text += 4;
		if (sscanf(text, "%31[^/ \n]", name) != 1 ||
		    !strcmp(name, last))
			continue;
		stn_transport_describe(&stn_transport_ucx, name, NULL, out);
		strcpy(last, name);
	}
}

static void
ucx_list(FILE *out)
{
	const struct stn_topology alone = { .nodes = 1, .clusters = 1 };
	const struct stn_opening opening = { .topology = &alone,
					     .provider = "auto" };
	struct ucx_library library;
	ucp_context_h context;
	struct stn_why why;
	char *text = NULL;
	size_t bytes;
	FILE *description;

	if (ucx_library_load(&library, &why) ||
	    open_context(&library, &opening, &context, &why)) {
		fprintf(out, "    %s\n", why.text);
		return;
	}
	description = open_memstream(&text, &bytes);
	if (description) {
		library.context_print_info(context, description);
		fclose(description);
		list_transports(text, out);
		free(text);
	}
	library.cleanup(context);
}

static enum stn_err
ucx_present(const char *provider, uint32_t nodes, struct stn_why *why)
{
	struct ucx_library library;

	(void)provider;
	(void)nodes;
	return ucx_library_load(&library, why);
}

const struct stn_transport_ops stn_transport_ucx = {
	.name = "ucx",
	.help = "UCX: processes, on any of its transports",
	.bytes = sizeof(struct ucx),
	.node_bytes = sizeof(struct ucx_peer),
	.open = ucx_open,
	.close = ucx_close,
	.address = ucx_address,
	.connect = ucx_connect,
	.send = ucx_send,
	.offer = ucx_offer,
	.pull = ucx_pull,
	.refuse = ucx_refuse,
	.peer_del = ucx_peer_del,
	.progress = ucx_progress,
	.arm = ucx_arm,
	.waits = ucx_waits,
	.settles = true,
	.now = stn_machine_now,
	.present = ucx_present,
	.list = ucx_list,
};
