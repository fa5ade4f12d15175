/*
 * fuzz_address.c: arbitrary bytes are either an address that an endpoint can
 * connect to, or are rejected with a message, for each transport that opens
 * here. Nothing is sent, because an accepted address may be another process's.
 *
 * The first byte of the input chooses the transport, and whether the other
 * bytes are an address, or changes to the endpoint's own address.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "transport/transport.h"

#define NODES 4

static const struct target {
	const char *transport, *provider;
} targets[] = {
	{ "loop", "auto" },   { "shm", "auto" }, { "ofi", "tcp" },
	{ "ofi", "shm" },     { "ucx", "auto" }, { "verbs", "auto" },
	{ "shm+ofi", "tcp" },
};

#define TARGETS (sizeof(targets) / sizeof(targets[0]))

static struct stn_transport *endpoints[TARGETS];

static void
handle(void *arg, const struct stn_message *message)
{
	(void)arg;
	(void)message;
}

static void
close_endpoints(void)
{
	for (size_t i = 0; i < TARGETS; i++)
		stn_transport_close(endpoints[i], 0);
}

static void
open_endpoints(void)
{
	static const struct stn_topology topology = { .nodes = NODES,
						      .clusters = 1 };

	for (size_t i = 0; i < TARGETS; i++) {
		struct stn_opening opening = {
			.topology = &topology,
			.provider = targets[i].provider,
			.address = "127.0.0.1",
			.handler = handle,
		};
		struct stn_why why;

		if (stn_transport_open(targets[i].transport, &opening,
				       &endpoints[i], &why))
			endpoints[i] = NULL;
	}
	atexit(close_endpoints);
}

/* The endpoint's own address, changed by these bytes. */
static size_t
change(struct stn_transport *endpoint, unsigned char *address,
       const uint8_t *data, size_t size)
{
	size_t bytes = stn_transport_address(endpoint, address);

	for (size_t i = 0; i < size && i < bytes; i++)
		address[i] ^= data[i];
	return bytes;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct stn_transport *endpoint;
	const struct target *target;
	struct stn_why why = { "" };
	size_t bytes;

	if (!endpoints[0])
		open_endpoints();
	if (!size)
		return 0;
	target = &targets[*data / 2 % TARGETS];
	endpoint = endpoints[target - targets];
	if (!endpoint)
		return 0;
	bytes = size - 1;
	if (*data % 2)
		bytes = change(endpoint, address, data + 1, bytes);
	else if (bytes <= sizeof(address))
		memcpy(address, data + 1, bytes);
	if (stn_transport_connect(endpoint, 1 + *data % (NODES - 1), address,
				  bytes, &why))
		require(*why.text);
	return 0;
}
