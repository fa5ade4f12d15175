#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <assert.h>
#include <string.h>
#include <time.h>

#include "transport/ops.h"
#include "transport/pieces.h"

/* One array, not constructors: those vanish from static links. */
static const struct stn_transport_ops *const backends[] = {
	&stn_transport_loop,
#ifdef HAVE_LIBFABRIC
	&stn_transport_ofi,
#endif
};

#define BACKENDS (sizeof(backends) / sizeof(backends[0]))

static const struct stn_transport_ops *
find(const char *name)
{
	for (size_t i = 0; i < BACKENDS; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

static bool
complete(const struct stn_transport_ops *ops)
{
	return ops->name && ops->help && ops->open && ops->close &&
	       ops->address && ops->connect && ops->send && ops->offer &&
	       ops->pull && ops->refuse && ops->progress && ops->arm &&
	       ops->waits && ops->now;
}

enum stn_err
stn_transport_open(const char *name, const struct stn_opening *opening,
		   struct stn_transport **transport_p, struct stn_why *why)
{
	const struct stn_transport_ops *ops = find(name);
	struct stn_transport *transport;
	enum stn_err err;

	if (!ops)
		return stn_because(why, STN_MISSING,
				   "no transport \"%s\" was built; see "
				   "`sateen info` for those that were",
				   name);
	assert(complete(ops));
	err = ops->open(opening, &transport, why);
	if (err)
		return err;
	if (stn_topology_slow(opening->topology)) {
		err = stn_delay_wrap(transport, opening, &transport, why);
		if (err) {
			transport->ops->close(transport, 0);
			return err;
		}
	}
	*transport_p = transport;
	return STN_OK;
}

void
stn_transport_close(struct stn_transport *transport, uint64_t patience_ns)
{
	if (transport)
		transport->ops->close(transport, patience_ns);
}

size_t
stn_transport_address(struct stn_transport *transport,
		      unsigned char address[STN_ADDRESS_BYTES])
{
	return transport->ops->address(transport, address);
}

enum stn_err
stn_transport_connect(struct stn_transport *transport, uint32_t rank,
		      const unsigned char *address, size_t bytes,
		      struct stn_why *why)
{
	return transport->ops->connect(transport, rank, address, bytes, why);
}

void
stn_transport_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
		   const void *header, size_t header_bytes,
		   const struct iovec *pieces, size_t count, stn_done *done,
		   void *arg)
{
	size_t payload = stn_pieces_bytes(pieces, count);

	assert(header_bytes <= STN_HEADER_BYTES && (done || !payload));
	if (header_bytes + payload <= transport->limits.eager_bytes)
		transport->ops->send(transport, to, kind, header, header_bytes,
				     pieces, count, done, arg);
	else
		transport->ops->offer(transport, to, kind, header, header_bytes,
				      pieces, count, done, arg);
}

static const struct stn_arrival *
arrival_of(const struct stn_message *message)
{
	return (const struct stn_arrival *)message;
}

void
stn_transport_take(struct stn_transport *transport,
		   const struct stn_message *message,
		   const struct iovec *pieces, size_t count, stn_done *done,
		   void *arg)
{
	const struct stn_arrival *arrival = arrival_of(message);

	assert(stn_pieces_bytes(pieces, count) == message->payload_bytes);
	if (!arrival->payload && message->payload_bytes) {
		transport->ops->pull(transport, arrival, pieces, count, done,
				     arg);
		return;
	}
	stn_pieces_copy(pieces,
			&(struct iovec){ (void *)arrival->payload,
					 message->payload_bytes },
			message->payload_bytes);
	done(arg, STN_OK);
}

void
stn_transport_refuse(struct stn_transport *transport,
		     const struct stn_message *message)
{
	const struct stn_arrival *arrival = arrival_of(message);

	if (!arrival->payload && message->payload_bytes)
		transport->ops->refuse(transport, arrival);
}

unsigned
stn_transport_progress(struct stn_transport *transport)
{
	return transport->ops->progress(transport);
}

uint64_t
stn_transport_arm(struct stn_transport *transport)
{
	return transport->ops->arm(transport);
}

bool
stn_transport_waits(const struct stn_transport *transport)
{
	return transport->ops->waits(transport);
}

int
stn_transport_fd(const struct stn_transport *transport)
{
	return transport->limits.fd;
}

uint64_t
stn_transport_now(const struct stn_transport *transport)
{
	return transport->ops->now(transport);
}

void
stn_transport_sweep(const char *name, const unsigned char *address,
		    size_t bytes)
{
	const struct stn_transport_ops *ops = find(name);

	if (ops && ops->sweep)
		ops->sweep(address, bytes);
}

bool
stn_transport_known(const char *name)
{
	return find(name);
}

void
stn_transport_list(FILE *out)
{
	for (size_t i = 0; i < BACKENDS; i++) {
		fprintf(out, "  %-8s %s\n", backends[i]->name,
			backends[i]->help);
		if (backends[i]->list)
			backends[i]->list(out);
	}
}

uint64_t
stn_machine_now(const struct stn_transport *transport)
{
	struct timespec now;

	(void)transport;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * STN_SECOND_NS + (uint64_t)now.tv_nsec;
}
