/*
 * bare_ucx.c: bare active messages of UCX. The receiver wants payloads in its
 * own memory. An eager payload is therefore copied out of UCX's memory. UCX
 * itself puts a rendezvous payload there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fabric/bare.h"
#include "transport/ucx/ucx_library.h"

#define MESSAGE 1 /* UCX's id of the only kind of message */

struct ucx {
	struct path base;
	struct ucx_library library;
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_ep_h peer;
	size_t received, expected; /* messages */
	size_t under_way;	   /* sends */
};

static struct ucx *
ucx_of(struct path *path)
{
	return (struct ucx *)path;
}

static void
check(struct ucx *ucx, ucs_status_t status)
{
	if (status != UCS_OK)
		path_fail(&ucx->base, "%s", ucx->library.status_string(status));
}

static void
received(void *request, ucs_status_t status, size_t bytes, void *arg)
{
	struct ucx *ucx = arg;

	(void)bytes;
	check(ucx, status);
	ucx->received++;
	ucx->library.request_free(request);
}

static void
fetch(struct ucx *ucx, void *what, size_t bytes)
{
	const ucp_request_param_t how = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
				UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.recv_am = received,
		.user_data = ucx,
	};
	ucs_status_ptr_t request = ucx->library.am_recv_data_nbx(
		ucx->worker, what, ucx->base.in, bytes, &how);

	if (UCS_PTR_IS_ERR(request))
		check(ucx, UCS_PTR_STATUS(request));
	if (!request)
		ucx->received++;
}

static ucs_status_t
arrived(void *arg, const void *header, size_t header_bytes, void *data,
	size_t bytes, const ucp_am_recv_param_t *how)
{
	struct ucx *ucx = arg;

	(void)header;
	(void)header_bytes;
	if (bytes > ucx->base.most)
		path_fail(&ucx->base, "a message is larger than agreed");
	if (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
		fetch(ucx, data, bytes);
	} else {
		memcpy(ucx->base.in, data, bytes);
		ucx->received++;
	}
	return UCS_OK;
}

static void
close_peer(struct ucx *ucx)
{
	const ucp_request_param_t how = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
		.flags = UCP_EP_CLOSE_FLAG_FORCE,
	};
	ucs_status_ptr_t request = ucx->library.ep_close_nbx(ucx->peer, &how);

	if (!UCS_PTR_IS_PTR(request))
		return;
	while (ucx->library.request_check_status(request) == UCS_INPROGRESS)
		ucx->library.worker_progress(ucx->worker);
	ucx->library.request_free(request);
}

static void
ucx_close(struct path *path)
{
	struct ucx *ucx = ucx_of(path);

	if (ucx->peer)
		close_peer(ucx);
	if (ucx->worker)
		ucx->library.worker_destroy(ucx->worker);
	if (ucx->context)
		ucx->library.cleanup(ucx->context);
}

/* The names in UCX 1.13, and in UCX 1.19. */
static ucs_status_t
set_port(struct ucx *ucx, ucp_config_t *config, uint16_t port)
{
	char range[16];
	ucs_status_t status;

	snprintf(range, sizeof(range), "%u-%u", port, port);
	status = ucx->library.config_modify(config, "PORT_RANGE", range);
	return status != UCS_OK ? status
				: ucx->library.config_modify(
					  config, "TCP_PORT_RANGE", range);
}

/* UCX reads its own variables; a provider other than "auto" sets UCX_TLS. */
static ucs_status_t
open_context(struct ucx *ucx, const char *provider, uint16_t port)
{
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES,
		.features = UCP_FEATURE_AM,
	};
	ucp_config_t *config;
	ucs_status_t status = ucx->library.config_read(NULL, NULL, &config);

	if (status != UCS_OK)
		return status;
	if (strcmp(provider, "auto"))
		status = ucx->library.config_modify(config, "TLS", provider);
	if (status == UCS_OK && port)
		status = set_port(ucx, config, port);
	if (status == UCS_OK)
		status = ucx->library.init_version(UCP_API_MAJOR, UCP_API_MINOR,
						   &params, config,
						   &ucx->context);
	ucx->library.config_release(config);
	return status;
}

static ucs_status_t
open_worker(struct ucx *ucx)
{
	const ucp_worker_params_t params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	const ucp_am_handler_param_t handler = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
			      UCP_AM_HANDLER_PARAM_FIELD_CB |
			      UCP_AM_HANDLER_PARAM_FIELD_ARG,
		.id = MESSAGE,
		.cb = arrived,
		.arg = ucx,
	};
	ucs_status_t status =
		ucx->library.worker_create(ucx->context, &params, &ucx->worker);

	return status == UCS_OK ? ucx->library.worker_set_am_recv_handler(
					  ucx->worker, &handler)
				: status;
}

static enum stn_err
ucx_open(struct path *path, const struct path_opening *opening,
	 struct stn_why *why)
{
	struct ucx *ucx = ucx_of(path);
	enum stn_err err = ucx_library_load(&ucx->library, why);
	ucs_status_t status;

	if (err)
		return err;
	status = open_context(ucx, opening->provider, opening->port);
	if (status == UCS_OK)
		status = open_worker(ucx);
	if (status != UCS_OK)
		return stn_because(why,
				   status == UCS_ERR_BUSY ? STN_IN_USE : STN_IO,
				   "can't be opened: %s",
				   ucx->library.status_string(status));
	return STN_OK;
}

static size_t
ucx_address(struct path *path, unsigned char address[PATH_ADDRESS_BYTES])
{
	struct ucx *ucx = ucx_of(path);
	ucp_address_t *own;
	size_t bytes;

	if (ucx->library.worker_get_address(ucx->worker, &own, &bytes) !=
	    UCS_OK)
		return 0;
	if (bytes > PATH_ADDRESS_BYTES - sizeof(uint64_t))
		bytes = 0;
	memcpy(address, own, bytes);
	ucx->library.worker_release_address(ucx->worker, own);
	return bytes;
}

static enum stn_err
ucx_connect(struct path *path, const unsigned char *address, size_t bytes,
	    struct stn_why *why)
{
	struct ucx *ucx = ucx_of(path);
	const ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
		.address = (const ucp_address_t *)address,
	};
	ucs_status_t status;

	(void)bytes;
	status = ucx->library.ep_create(ucx->worker, &params, &ucx->peer);
	if (status == UCS_OK)
		return STN_OK;
	return stn_because(why, STN_IO, "can't connect: %s",
			   ucx->library.status_string(status));
}

static void
make_progress(struct ucx *ucx)
{
	if (ucx->library.worker_progress(ucx->worker))
		path_advance(&ucx->base);
	path_spin(&ucx->base);
}

static void
sent(void *request, ucs_status_t status, void *arg)
{
	struct ucx *ucx = arg;

	check(ucx, status);
	ucx->under_way--;
	ucx->library.request_free(request);
}

static void
put(struct ucx *ucx, size_t bytes)
{
	const ucp_request_param_t how = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
				UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.send = sent,
		.user_data = ucx,
	};
	ucs_status_ptr_t request;

	while (ucx->under_way >= PATH_WINDOW)
		make_progress(ucx);
	request = ucx->library.am_send_nbx(ucx->peer, MESSAGE, NULL, 0,
					   ucx->base.out, bytes, &how);
	if (UCS_PTR_IS_ERR(request))
		check(ucx, UCS_PTR_STATUS(request));
	ucx->under_way += request != NULL;
}

/* Waits for @count more messages. */
static void
get(struct ucx *ucx, size_t count)
{
	ucx->expected += count;
	while (ucx->received < ucx->expected)
		make_progress(ucx);
}

/*
 * Waits until all sends are complete. Node 1 calls it before it polls another
 * path, because UCX makes progress only when it is called.
 */
static void
flush(struct ucx *ucx)
{
	while (ucx->under_way)
		make_progress(ucx);
}

static void
ucx_ping(struct path *path, size_t bytes)
{
	put(ucx_of(path), bytes);
	get(ucx_of(path), 1);
}

static void
ucx_pong(struct path *path, size_t bytes)
{
	get(ucx_of(path), 1);
	put(ucx_of(path), bytes);
	flush(ucx_of(path));
}

static void
ucx_stream(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		put(ucx_of(path), bytes);
	get(ucx_of(path), 1);
}

static void
ucx_drain(struct path *path, size_t bytes, size_t count)
{
	(void)bytes;
	get(ucx_of(path), count);
	put(ucx_of(path), 1);
	flush(ucx_of(path));
}

const struct path_ops bare_ucx = {
	.name = "UCX",
	.messages = true,
	.payloads = true,
	.bytes = sizeof(struct ucx),
	.open = ucx_open,
	.close = ucx_close,
	.address = ucx_address,
	.connect = ucx_connect,
	.ping = ucx_ping,
	.pong = ucx_pong,
	.stream = ucx_stream,
	.drain = ucx_drain,
};
