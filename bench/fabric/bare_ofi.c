/*
 * bare_ofi.c: bare libfabric. Receives are posted beforehand, there is one
 * completion queue, and messages are injected where their size allows it.
 * Streams go by plain sends, or by reads: the sender sends a note, the receiver
 * reads the payload and sends a note back. The provider and the card are those
 * that the transport ofi chooses.
 */
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fabric/bare.h"
#include "transport/ofi/ofi_provider.h"

#define RECEIVES 64
#define ENTRIES 8
#define NAME_BYTES 192

struct ofi_address {
	uint64_t at, key; /* of the memory that the peer may read */
	unsigned char name[NAME_BYTES];
};

struct ofi {
	struct path base;
	struct ofi_library library;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *addresses;
	struct fid_cq *completions;
	struct fid_ep *endpoint;
	struct fid_mr *region;
	fi_addr_t peer;
	uint64_t at, key;	   /* of the peer's memory */
	size_t receive_bytes;	   /* of each buffer that is posted */
	size_t received, expected; /* messages */
	size_t under_way;	   /* sends and reads */
	size_t reads;		   /* completed reads */
	unsigned next;		   /* index of the next context in @sending */
	struct fi_context2 receiving[RECEIVES];
	struct fi_context2 sending[2 * PATH_WINDOW];
};

static struct ofi *
ofi_of(struct path *path)
{
	return (struct ofi *)path;
}

static void
close_fid(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

static void
ofi_close(struct path *path)
{
	struct ofi *ofi = ofi_of(path);

	close_fid(ofi->endpoint ? &ofi->endpoint->fid : NULL);
	close_fid(ofi->region ? &ofi->region->fid : NULL);
	close_fid(ofi->completions ? &ofi->completions->fid : NULL);
	close_fid(ofi->addresses ? &ofi->addresses->fid : NULL);
	close_fid(ofi->domain ? &ofi->domain->fid : NULL);
	close_fid(ofi->fabric ? &ofi->fabric->fid : NULL);
	if (ofi->info)
		ofi->library.freeinfo(ofi->info);
}

static int
open_endpoint(struct ofi *ofi)
{
	struct fi_av_attr table = { .type = FI_AV_TABLE, .count = 2 };
	struct fi_cq_attr queue = { .format = FI_CQ_FORMAT_MSG,
				    .wait_obj = FI_WAIT_NONE };
	int err =
		ofi->library.fabric(ofi->info->fabric_attr, &ofi->fabric, NULL);

	if (!err)
		err = fi_domain(ofi->fabric, ofi->info, &ofi->domain, NULL);
	if (!err)
		err = fi_av_open(ofi->domain, &table, &ofi->addresses, NULL);
	if (!err)
		err = fi_cq_open(ofi->domain, &queue, &ofi->completions, NULL);
	if (!err)
		err = fi_endpoint(ofi->domain, ofi->info, &ofi->endpoint, NULL);
	if (!err)
		err = fi_ep_bind(ofi->endpoint, &ofi->addresses->fid, 0);
	if (!err)
		err = fi_ep_bind(ofi->endpoint, &ofi->completions->fid,
				 FI_TRANSMIT | FI_RECV);
	if (!err)
		err = fi_enable(ofi->endpoint);
	if (!err)
		err = fi_mr_reg(ofi->domain, ofi->base.out, ofi->base.most,
				FI_REMOTE_READ, 0, 1, 0, &ofi->region, NULL);
	return err;
}

static ssize_t
post_receive(struct ofi *ofi, struct fi_context2 *context)
{
	return fi_recv(ofi->endpoint, ofi->base.in, ofi->receive_bytes, NULL,
		       FI_ADDR_UNSPEC, context);
}

static enum stn_err
ofi_open(struct path *path, const struct path_opening *opening,
	 struct stn_why *why)
{
	const struct stn_opening ours = {
		.provider = opening->provider,
		.device = opening->device,
		.address = opening->address,
		.port = opening->port,
	};
	struct ofi *ofi = ofi_of(path);
	enum stn_err err = ofi_library_load(&ofi->library, why);
	int failed;

	if (!err)
		err = ofi_provider_choose(&ofi->library, &ours, &ofi->info,
					  why);
	if (err)
		return err;
	ofi->receive_bytes = path->ops->notes ? PATH_NOTE_BYTES : opening->most;
	failed = open_endpoint(ofi);
	for (size_t i = 0; !failed && i < RECEIVES; i++)
		failed = (int)post_receive(ofi, &ofi->receiving[i]);
	if (failed)
		return stn_because(why,
				   failed == -FI_EADDRINUSE ? STN_IN_USE
							    : STN_IO,
				   "can't be opened: %s",
				   ofi->library.strerror(-failed));
	return STN_OK;
}

static size_t
ofi_address(struct path *path, unsigned char address[PATH_ADDRESS_BYTES])
{
	struct ofi *ofi = ofi_of(path);
	bool virtual = ofi->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
	struct ofi_address mine = { virtual ? (uintptr_t)path->out : 0,
				    fi_mr_key(ofi->region),
				    { 0 } };
	size_t bytes = sizeof(mine.name);

	if (fi_getname(&ofi->endpoint->fid, mine.name, &bytes))
		return 0;
	memcpy(address, &mine, sizeof(mine));
	return sizeof(mine);
}

static enum stn_err
ofi_connect(struct path *path, const unsigned char *address, size_t bytes,
	    struct stn_why *why)
{
	struct ofi *ofi = ofi_of(path);
	struct ofi_address theirs;

	memcpy(&theirs, address, bytes);
	if (fi_av_insert(ofi->addresses, theirs.name, 1, &ofi->peer, 0, NULL) !=
	    1)
		return stn_because(why, STN_INVALID,
				   "the other node's address is of another "
				   "provider");
	ofi->at = theirs.at;
	ofi->key = theirs.key;
	return STN_OK;
}

static void
fail(struct ofi *ofi, ssize_t err)
{
	struct fi_cq_err_entry entry = { 0 };

	if (err == -FI_EAVAIL &&
	    fi_cq_readerr(ofi->completions, &entry, 0) == 1)
		err = -entry.err;
	path_fail(&ofi->base, "%s", ofi->library.strerror((int)-err));
}

static void
complete(struct ofi *ofi, const struct fi_cq_msg_entry *entry)
{
	path_advance(&ofi->base);
	if (entry->flags & FI_RECV) {
		ssize_t err = post_receive(ofi, entry->op_context);

		if (err)
			fail(ofi, err);
		ofi->received++;
		return;
	}
	if (entry->flags & FI_READ)
		ofi->reads++;
	ofi->under_way--;
}

static void
poll_queue(struct ofi *ofi)
{
	struct fi_cq_msg_entry entries[ENTRIES];
	ssize_t got = fi_cq_read(ofi->completions, entries, ENTRIES);

	for (ssize_t i = 0; i < got; i++)
		complete(ofi, &entries[i]);
	if (got < 0 && got != -FI_EAGAIN)
		fail(ofi, got);
	path_spin(&ofi->base);
}

static void *
context(struct ofi *ofi)
{
	return &ofi->sending[ofi->next++ % (2 * PATH_WINDOW)];
}

static void
put(struct ofi *ofi, size_t bytes)
{
	bool inject = bytes <= ofi->info->tx_attr->inject_size;
	ssize_t err;

	while (ofi->under_way >= PATH_WINDOW)
		poll_queue(ofi);
	for (;;) {
		err = inject ? fi_inject(ofi->endpoint, ofi->base.out, bytes,
					 ofi->peer)
			     : fi_send(ofi->endpoint, ofi->base.out, bytes,
				       NULL, ofi->peer, context(ofi));
		if (err != -FI_EAGAIN)
			break;
		poll_queue(ofi);
	}
	if (err)
		fail(ofi, err);
	ofi->under_way += !inject;
}

/* Waits for @count more messages. */
static void
get(struct ofi *ofi, size_t count)
{
	ofi->expected += count;
	while (ofi->received < ofi->expected)
		poll_queue(ofi);
}

/*
 * Waits until all sends are complete. Node 1 calls it before it polls another
 * path, because libfabric makes progress only while it is polled.
 */
static void
flush(struct ofi *ofi)
{
	while (ofi->under_way)
		poll_queue(ofi);
}

static void
send_ping(struct path *path, size_t bytes)
{
	put(ofi_of(path), bytes);
	get(ofi_of(path), 1);
}

static void
send_pong(struct path *path, size_t bytes)
{
	get(ofi_of(path), 1);
	put(ofi_of(path), bytes);
	flush(ofi_of(path));
}

static void
send_stream(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		put(ofi_of(path), bytes);
	get(ofi_of(path), 1);
}

static void
send_drain(struct path *path, size_t bytes, size_t count)
{
	(void)bytes;
	get(ofi_of(path), count);
	put(ofi_of(path), 1);
	flush(ofi_of(path));
}

static void
read_payload(struct ofi *ofi, size_t bytes)
{
	ssize_t err;

	while ((err = fi_read(ofi->endpoint, ofi->base.in, bytes, NULL,
			      ofi->peer, ofi->at, ofi->key, context(ofi))) ==
	       -FI_EAGAIN)
		poll_queue(ofi);
	if (err)
		fail(ofi, err);
	ofi->under_way++;
}

/* Keeps a window of notes out: sends one more for each that comes back. */
static void
read_stream(struct path *path, size_t bytes, size_t count)
{
	struct ofi *ofi = ofi_of(path);

	(void)bytes;
	for (size_t i = 0; i < count; i++) {
		if (i >= PATH_WINDOW)
			get(ofi, 1);
		put(ofi, PATH_NOTE_BYTES);
	}
	get(ofi, count < PATH_WINDOW ? count : PATH_WINDOW);
}

static void
read_drain(struct path *path, size_t bytes, size_t count)
{
	struct ofi *ofi = ofi_of(path);
	size_t begun = 0, told = 0, first = ofi->expected;

	ofi->reads = 0;
	while (told < count) {
		for (; first + begun < ofi->received && begun < count; begun++)
			read_payload(ofi, bytes);
		for (; told < ofi->reads; told++)
			put(ofi, PATH_NOTE_BYTES);
		poll_queue(ofi);
	}
	ofi->expected += count;
	flush(ofi);
}

const struct path_ops bare_ofi_send = {
	.name = "libfabric send",
	.messages = true,
	.payloads = true,
	.bytes = sizeof(struct ofi),
	.open = ofi_open,
	.close = ofi_close,
	.address = ofi_address,
	.address_bytes = sizeof(struct ofi_address),
	.connect = ofi_connect,
	.ping = send_ping,
	.pong = send_pong,
	.stream = send_stream,
	.drain = send_drain,
};

const struct path_ops bare_ofi_read = {
	.name = "libfabric read",
	.payloads = true,
	.notes = true,
	.bytes = sizeof(struct ofi),
	.open = ofi_open,
	.close = ofi_close,
	.address = ofi_address,
	.address_bytes = sizeof(struct ofi_address),
	.connect = ofi_connect,
	.stream = read_stream,
	.drain = read_drain,
};
