/*
 * ofi_open.c: opens and closes an endpoint of libfabric.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/statvfs.h>

#include "transport/backends.h"
#include "transport/ofi/ofi.h"
#include "transport/ofi/ofi_send.h"

/*
 * rxm copies a message of more pieces into a buffer of its own. If
 * FI_OFI_RXM_EAGER_LIMIT is raised, this buffer is too small, and overflows
 * (libfabric 1.17).
 */
#define RXM_GATHER 3
#define DRAINS_MOST 10000 /* calls of progress that drop late messages */
#define SHM_BYTES                                                              \
	(20u << 20) /* of /dev/shm, for one endpoint of provider shm */

/*
 * The shm provider maps memory in /dev/shm, and is killed by SIGBUS when none
 * is left. So the first node checks that there is enough for all nodes of this
 * host.
 */
static enum stn_err
check_shm(const struct ofi *ofi, struct stn_why *why)
{
	uint64_t needs = (uint64_t)SHM_BYTES * ofi->base.nodes;
	struct statvfs file_system;
	uint64_t free_bytes;

	if (strcmp(ofi->base.opening.provider, "shm") ||
	    statvfs("/dev/shm", &file_system))
		return STN_OK;
	free_bytes = (uint64_t)file_system.f_bavail * file_system.f_frsize;
	/*
	 * The other nodes check only for their own part: some may have taken
	 * theirs.
	 */
	if (free_bytes >= SHM_BYTES &&
	    (ofi->base.opening.rank || free_bytes >= needs))
		return STN_OK;
	return stn_because(why, STN_IO,
			   "/dev/shm has %llu MB free; provider shm needs %u "
			   "MB for each node; remove what is left there, or "
			   "use --provider tcp",
			   (unsigned long long)free_bytes >> 20,
			   SHM_BYTES >> 20);
}

static enum stn_err
ofi_open_failed(const struct ofi *ofi, const char *what, int err,
		struct stn_why *why)
{
	if (err == -FI_EADDRINUSE)
		return stn_because(why, STN_IN_USE,
				   "port %u of %s is in use; choose another "
				   "--ports",
				   ofi->base.opening.port,
				   ofi->base.opening.address);
	if (err == -FI_EADDRNOTAVAIL)
		return stn_because(why, STN_IO,
				   "%s is no address of this host; give "
				   "another --address",
				   ofi->base.opening.address);
	if (err == -FI_ENOMEM && !strcmp(ofi->provider.name, "verbs"))
		return stn_because(why, STN_NO_MEMORY,
				   "libfabric's verbs: %s failed: too little "
				   "memory may be locked; raise that limit: "
				   "`ulimit -l unlimited`",
				   what);
	return stn_because(why, STN_IO, "libfabric's %s: %s failed: %s",
			   ofi->info->fabric_attr->prov_name, what,
			   ofi->library.strerror(-err));
}

static int
ofi_open_queue(struct ofi *ofi)
{
	struct fi_cq_attr attributes = {
		.format = FI_CQ_FORMAT_MSG,
		.wait_obj = ofi->provider.traits & OFI_SLEEPS ? FI_WAIT_FD
							      : FI_WAIT_NONE,
	};
	int err = fi_cq_open(ofi->domain, &attributes, &ofi->completions, NULL);

	ofi->base.limits.fd = -1;
	if (!err && attributes.wait_obj == FI_WAIT_FD &&
	    fi_control(&ofi->completions->fid, FI_GETWAIT,
		       &ofi->base.limits.fd))
		ofi->base.limits.fd = -1;
	return err;
}

/*
 * Opens the event queue only for its descriptor, which tells of the domain's
 * sockets. Nothing is bound to it, so that it has no events.
 */
static int
open_events(struct ofi *ofi)
{
	struct fi_eq_attr attributes = { .wait_obj = FI_WAIT_FD };
	int err = fi_eq_open(ofi->fabric, &attributes, &ofi->events, NULL);

	return err ? err
		   : fi_control(&ofi->events->fid, FI_GETWAIT,
				&ofi->base.limits.fd);
}

static enum stn_err
ofi_open_objects(struct ofi *ofi, struct stn_why *why)
{
	struct fi_av_attr table = {
		.type = FI_AV_TABLE,
		.count = ofi->base.nodes,
	};
	int err;

	err = ofi->library.fabric(ofi->info->fabric_attr, &ofi->fabric, NULL);
	if (err)
		return ofi_open_failed(ofi, "fi_fabric", err, why);
	err = fi_domain(ofi->fabric, ofi->info, &ofi->domain, NULL);
	if (err)
		return ofi_open_failed(ofi, "fi_domain", err, why);
	err = fi_av_open(ofi->domain, &table, &ofi->addresses, NULL);
	if (err)
		return ofi_open_failed(ofi, "fi_av_open", err, why);
	err = ofi_open_queue(ofi);
	if (err)
		return ofi_open_failed(ofi, "fi_cq_open", err, why);
	if (ofi->provider.traits & OFI_EVENTS)
		err = open_events(ofi);
	if (err)
		return ofi_open_failed(ofi, "fi_eq_open", err, why);
	err = fi_endpoint(ofi->domain, ofi->info, &ofi->endpoint, NULL);
	if (!err)
		err = fi_ep_bind(ofi->endpoint, &ofi->addresses->fid, 0);
	if (!err)
		err = fi_ep_bind(ofi->endpoint, &ofi->completions->fid,
				 FI_TRANSMIT | FI_SELECTIVE_COMPLETION);
	if (!err)
		err = fi_ep_bind(ofi->endpoint, &ofi->completions->fid,
				 FI_RECV);
	if (!err)
		err = fi_enable(ofi->endpoint);
	return err ? ofi_open_failed(ofi, "opening an endpoint", err, why)
		   : STN_OK;
}

static enum stn_err
post_receives(struct ofi *ofi, struct stn_why *why)
{
	ssize_t err;

	ofi->receives = calloc(OFI_RECEIVES, ofi_receive_stride(ofi));
	if (!ofi->receives)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = ofi_post_receives(ofi);
	return err ? ofi_open_failed(ofi, "fi_recv", (int)err, why) : STN_OK;
}

static void
close_fid(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

/*
 * Closes in the order that libfabric requires; the endpoint may be half open.
 */
static void
ofi_close_objects(struct ofi *ofi)
{
	close_fid(ofi->endpoint ? &ofi->endpoint->fid : NULL);
	close_fid(ofi->completions ? &ofi->completions->fid : NULL);
	close_fid(ofi->events ? &ofi->events->fid : NULL);
	close_fid(ofi->addresses ? &ofi->addresses->fid : NULL);
	close_fid(ofi->domain ? &ofi->domain->fid : NULL);
	close_fid(ofi->fabric ? &ofi->fabric->fid : NULL);
	if (ofi->info)
		ofi->library.freeinfo(ofi->info);
	free(ofi->receives);
	free(ofi->waiting);
	ofi_pool_free(&ofi->sends);
	ofi_pool_free(&ofi->offer_pool);
	ofi_pool_free(&ofi->pulls);
	ofi_pool_free(&ofi->reads);
	ofi_blocks_free(&ofi->blocks);
}

static size_t
ofi_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Derives the limits from the provider's abilities. */
static void
ofi_set_limits(struct ofi *ofi)
{
	const struct fi_tx_attr *sends = ofi->info->tx_attr;
	struct stn_limits *limits = &ofi->base.limits;

	ofi->provider = ofi_provider_full(ofi->info->fabric_attr->prov_name);
	ofi->gather = ofi_least(sends->iov_limit, OFI_GATHER);
	limits->eager_bytes = ofi->provider.eager_bytes;
	if (ofi->provider.traits & OFI_RXM) {
		ofi->gather = ofi_least(ofi->gather, RXM_GATHER);
		limits->eager_bytes = ofi_least(limits->eager_bytes,
						ofi->library.rxm_eager_bytes -
							OFI_WIRE_BYTES);
	}
	ofi->receive_bytes = OFI_WIRE_BYTES + limits->eager_bytes;
	ofi->inject_flags = FI_INJECT;
	if (ofi->provider.traits & OFI_SOCKETS)
		ofi->inject_flags |= FI_COMPLETION;
	/*
	 * If the provider needs a context for each operation, no message is
	 * inline: inline messages share their peer's context.
	 */
	if (!(ofi->info->mode & (FI_CONTEXT | FI_CONTEXT2)))
		ofi->inject_bytes = sends->inject_size;
	limits->costly = ofi->provider.traits & OFI_SOCKETS;
	if (ofi->inject_bytes > OFI_WIRE_BYTES)
		limits->inline_bytes = ofi->inject_bytes - OFI_WIRE_BYTES;
	limits->pieces = ofi->gather - 1; /* without the packet's own piece */
}

static enum stn_err
ofi_open(struct stn_transport *transport, struct stn_why *why)
{
	struct ofi *ofi = ofi_of(transport);
	enum stn_err err = STN_OK;

	ofi->interval_ns = OFI_POLL_LEAST_NS;
	ofi_peers_init(ofi);
	ofi_pulls_init(ofi);
	ofi_library_expect(transport->nodes);
	ofi->waiting = calloc(transport->nodes, sizeof(ofi->waiting[0]));
	if (!ofi->waiting || getrandom(&ofi->cookie, sizeof(ofi->cookie), 0) !=
				     sizeof(ofi->cookie))
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!err)
		err = ofi_library_load(&ofi->library, why);
	if (!err)
		err = check_shm(ofi, why);
	if (!err)
		err = ofi_provider_choose(&ofi->library, &transport->opening,
					  &ofi->info, why);
	if (!err) {
		ofi_set_limits(ofi);
		err = ofi_open_objects(ofi, why);
	}
	if (!err)
		err = post_receives(ofi, why);
	if (err)
		ofi_close_objects(ofi);
	return err;
}

/*
 * Leaves objects that can't be closed open. libfabric no longer uses this
 * process's memory, because nobody calls progress on them again.
 */
static void
abandon_objects(struct ofi *ofi)
{
	ofi->completions = NULL;
	ofi->events = NULL;
	ofi->addresses = NULL;
	ofi->domain = NULL;
	ofi->fabric = NULL;
}

/*
 * Waits until everything has left. Then drops arrived messages: rxm crashes at
 * the close if there are unread messages (libfabric 1.17).
 */
static void
ofi_close(struct stn_transport *transport, uint64_t patience_ns)
{
	struct ofi *ofi = ofi_of(transport);
	uint64_t end = stn_machine_now(transport) + patience_ns;
	unsigned drains = 0;
	bool held;

	while (ofi_busy(ofi) && stn_machine_now(transport) < end)
		ofi_progress(transport);
	ofi->closing = true;
	while (ofi_progress(transport) && drains < DRAINS_MOST)
		drains++;
	held = ofi_reads_hold(ofi, OFI_ALL);
	if (!held)
		fi_close(&ofi->endpoint->fid);
	ofi->endpoint = NULL;
	ofi_cancel_rest(ofi);
	stn_rendezvous_abandon(&ofi->rendezvous, STN_RENDEZVOUS_ALL,
			       STN_CANCELLED);
	if (held)
		abandon_objects(ofi);
	ofi_close_objects(ofi);
}

static size_t
ofi_address(struct stn_transport *transport,
	    unsigned char address[STN_ADDRESS_BYTES])
{
	struct ofi *ofi = ofi_of(transport);
	size_t bytes = STN_ADDRESS_BYTES - sizeof(ofi->cookie);

	memcpy(address, &ofi->cookie, sizeof(ofi->cookie));
	if (fi_getname(&ofi->endpoint->fid, address + sizeof(ofi->cookie),
		       &bytes))
		return 0;
	return sizeof(ofi->cookie) + bytes;
}

/*
 * Addresses that are texts must have the same scheme. Without this check, the
 * shm provider would accept any text.
 */
static bool
same_scheme(const struct ofi *ofi, const unsigned char *theirs)
{
	unsigned char mine[STN_ADDRESS_BYTES] = { 0 };
	size_t bytes = sizeof(mine) - 1;
	const char *end;

	if (ofi->info->addr_format != FI_ADDR_STR)
		return true;
	if (fi_getname(&ofi->endpoint->fid, mine, &bytes))
		return false;
	end = strstr((const char *)mine, "://");
	return end &&
	       !memcmp(mine, theirs, (size_t)(end - (const char *)mine) + 3);
}

static enum stn_err
ofi_connect(struct stn_transport *transport, uint32_t rank,
	    const unsigned char *address, size_t bytes, struct stn_why *why)
{
	struct ofi *ofi = ofi_of(transport);
	const size_t before = sizeof(ofi->cookie);
	unsigned char whole[STN_ADDRESS_BYTES] = { 0 };
	fi_addr_t peer;

	if (bytes <= before || bytes >= sizeof(whole))
		return stn_because(why, STN_MALFORMED,
				   "node %u's address is malformed", rank);
	memcpy(whole, address + before, bytes - before);
	if (!same_scheme(ofi, whole) ||
	    fi_av_insert(ofi->addresses, whole, 1, &peer, 0, NULL) != 1)
		return stn_because(why, STN_INVALID,
				   "node %u's address is none of provider "
				   "%s; use one provider on all nodes",
				   rank, ofi->info->fabric_attr->prov_name);
	ofi->peers[rank].address = peer;
	ofi->peers[rank].shut = ofi->peers[rank].dead;
	memcpy(&ofi->peers[rank].cookie, address, before);
	return STN_OK;
}

/* Only the shm provider leaves anything: a region named like the address. */
static void
ofi_sweep(const unsigned char *address, size_t bytes)
{
	static const char scheme[] = "fi_shm://";
	const size_t before = sizeof(uint32_t); /* the cookie's size */
	char name[STN_ADDRESS_BYTES + 1] = "";

	if (bytes <= before + strlen(scheme) || bytes > STN_ADDRESS_BYTES ||
	    memcmp(address + before, scheme, strlen(scheme)))
		return;
	memcpy(name, address + before, bytes - before);
	shm_unlink(name + strlen(scheme));
}

static void
ofi_list(FILE *out)
{
	struct ofi_library library;
	struct stn_why why;

	ofi_library_expect(1);
	if (ofi_library_load(&library, &why))
		fprintf(out, "    %s\n", why.text);
	else
		ofi_provider_list(&library, &stn_transport_ofi, out);
}

static enum stn_err
ofi_present(const char *provider, uint32_t nodes, struct stn_why *why)
{
	struct ofi_library library;
	enum stn_err err;

	ofi_library_expect(nodes);
	err = ofi_library_load(&library, why);
	if (err || ofi_provider_has(&library, provider))
		return err;
	return stn_because(why, STN_MISSING,
			   "libfabric offers no provider %s here", provider);
}

const struct stn_transport_ops stn_transport_ofi = {
	.name = "ofi",
	.help = "libfabric: processes, on any of its providers",
	.bytes = sizeof(struct ofi),
	.node_bytes = sizeof(struct ofi_peer),
	.open = ofi_open,
	.close = ofi_close,
	.address = ofi_address,
	.connect = ofi_connect,
	.send = ofi_send,
	.offer = ofi_offer,
	.pull = ofi_pull,
	.refuse = ofi_refuse,
	.peer_del = ofi_peer_del,
	.progress = ofi_progress,
	.arm = ofi_arm,
	.waits = ofi_waits,
	.now = stn_machine_now,
	.present = ofi_present,
	.sweep = ofi_sweep,
	.list = ofi_list,
};
