/*
 * far_lost.c: a gateway doesn't read, and then is gone: each operation that was
 * under way ends exactly once.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "transport/transport.h"
#include "transport/far/uplink.h"

#define NODES 3
#define SENDS 4000
#define BYTES 1000

static int listening, connection = -1;
static unsigned ends[SENDS], lost, dead;

/* The gateway's part: it answers the handshake, and does no more. */
static void *
answer(void *arg)
{
	unsigned char bytes[STN_HANDSHAKE_BYTES],
		said[STN_HANDSHAKE_ANSWER_BYTES];
	const struct stn_handshake_answer fine = { .refused = false };

	connection = accept(listening, NULL, NULL);
	stn_handshake_answer_write(said, &fine);
	if (recv(connection, bytes, sizeof(bytes), MSG_WAITALL) !=
		    sizeof(bytes) ||
	    send(connection, said, sizeof(said), MSG_NOSIGNAL) != sizeof(said))
		abort();
	return arg;
}

static void
set_gateway(void)
{
	static const unsigned char token[STN_TOKEN_BYTES];
	struct sockaddr_in at = { .sin_family = AF_INET };
	char text[STN_GATEWAY_BYTES], address_text[32];
	const char *const addresses[] = { address_text };
	socklen_t bytes = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listening, (struct sockaddr *)&at, bytes) ||
	    listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&at, &bytes))
		abort();
	snprintf(address_text, sizeof(address_text), "127.0.0.1:%u",
		 ntohs(at.sin_port));
	if (stn_uplink_write(text, token, addresses, 1) ||
	    setenv(STN_GATEWAY, text, 1))
		abort();
}

static void
handle(void *arg, const struct stn_message *message)
{
	(void)arg;
	(void)message;
}

static void
hear(void *arg, uint32_t rank, enum stn_peer_state state, const char *how)
{
	(void)arg;
	(void)how;
	dead += rank && state == STN_PEER_DEAD;
}

static void
done(void *arg, enum stn_err err)
{
	++*(unsigned *)arg;
	lost += err == STN_LOST;
}

static struct stn_transport *
open_node(const struct stn_topology *topology)
{
	const struct stn_opening opening = {
		.topology = topology,
		.provider = "auto",
		.handler = handle,
		.peer_event = hear,
	};
	unsigned char address[STN_ADDRESS_BYTES];
	struct stn_transport *transport;
	struct stn_why why;
	pthread_t gateway;
	size_t size;

	set_gateway();
	if (pthread_create(&gateway, NULL, answer, NULL) ||
	    stn_transport_open("far", &opening, &transport, &why) ||
	    pthread_join(gateway, NULL))
		abort();
	size = stn_transport_address(transport, address);
	for (uint32_t i = 1; i < NODES; i++) {
		address[size - 4] = (unsigned char)i; /* the rank is last */
		if (stn_transport_connect(transport, i, address, size, &why))
			tap_ok(false, "connects: %s", why.text);
	}
	return transport;
}

/* Sends to both nodes, small and large payloads, more than the kernel holds. */
static void
send_all(struct stn_transport *transport)
{
	static char large[BYTES * 1000];

	for (unsigned i = 0; i < SENDS; i++) {
		bool small = i % 100;
		struct iovec payload = { large, small ? BYTES : sizeof(large) };

		stn_transport_send(transport, 1 + i % (NODES - 1), 1, NULL, 0,
				   &payload, 1, done, &ends[i]);
	}
}

int
main(void)
{
	const struct stn_topology topology = { .nodes = NODES, .clusters = 1 };
	struct stn_transport *transport;
	unsigned early = 0, once = 0;

	tap_begin();
	transport = open_node(&topology);
	tap_ok(stn_transport_limits(transport)->costly,
	       "progress is said to be costly: it asks the kernel for events");
	send_all(transport);
	for (unsigned i = 0; i < SENDS; i++)
		early += ends[i];
	tap_ok(early < SENDS, "a gateway that doesn't read delays sends");
	close(connection);
	while (dead < NODES - 1)
		stn_transport_progress(transport);
	for (unsigned i = 0; i < SENDS; i++)
		once += ends[i] == 1;
	tap_ok(once == SENDS && lost == SENDS - early,
	       "when the gateway is gone all sends end: %u of %u, %u lost, %u "
	       "before",
	       once, SENDS, lost, early);
	stn_transport_close(transport, 0);
	close(listening);
	return tap_end();
}
