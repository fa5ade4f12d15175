#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/transport.h"
#include "launch/gateway/gateway_private.h"
#include "transport/far/uplink.h"

#define OUTSIDE_MOST 32 /* pending at a time, from outside */
#define INSIDE_MOST 512 /* from inside */
#define TLS_NS (5 * STN_SECOND_NS)
#define HELLO_NS (30 * STN_SECOND_NS) /* from the proof to becoming a trunk */
#define CONNECT_NS (3 * STN_SECOND_NS)
#define HUNG_UP "it hung up"

static bool
is_proved(const struct pending *pending)
{
	return pending->state == PENDING_HELLO ||
	       pending->state == PENDING_CHOICE ||
	       pending->state == PENDING_REFUSED;
}

/* May a newer connection, from outside or from inside, displace this one? */
static bool
is_displaceable(const struct pending *pending, bool outside)
{
	return !pending->outgoing &&
	       pending->state == (outside ? PENDING_TLS : PENDING_HANDSHAKE);
}

static void
unlink_pending(struct gateway *gateway, struct pending *pending)
{
	LIST_REMOVE(pending, link);
	for (uint32_t i = 0; i < gateway->known; i++)
		if (gateway->clusters[i].calling == pending)
			gateway->clusters[i].calling = NULL;
	gateway_free_later(&gateway->loop, &pending->watch);
}

/*
 * One line reports several failed attempts to connect: the most telling of
 * them.
 */
static void
note_failure(struct cluster *cluster, const char *why)
{
	struct stn_why *last = &cluster->last_failure;

	if (!*last->text || (strcmp(why, HUNG_UP) &&
			     !strstr(last->text, "secret")))
		stn_because(last, STN_OK, "%s", why);
}

void
gateway_close_pending(struct gateway *gateway, struct pending *pending,
		      const char *why)
{
	const struct linger at_once = { .l_onoff = 1 };

	struct cluster *cluster =
		gateway_find_cluster(gateway, pending->cluster);

	if (why && !pending->outgoing &&
	    (strcmp(why, HUNG_UP) ||
	     !gateway_is_known_host(gateway, &pending->address)))
		gateway_say_refused(gateway, &pending->address, why);
	if (why && pending->outgoing && cluster)
		note_failure(cluster, why);
	unlink_pending(gateway, pending);
	gateway_unwatch(&gateway->loop, pending->fd);
	if (pending->fd >= 0)
		setsockopt(pending->fd, SOL_SOCKET, SO_LINGER, &at_once,
			   sizeof(at_once));
	if (pending->stream.in) {
		stn_stream_fini(&pending->stream);
		return;
	}
	stn_session_destroy(pending->session);
	close(pending->fd);
}

bool
gateway_take_stream(struct gateway *gateway, struct pending *pending,
		    struct stn_stream *stream_p)
{
	if (!pending->stream.in &&
	    !stn_stream_init(&pending->stream, pending->fd, NULL, NULL)) {
		pending->fd = -1; /* closed */
		return false;
	}
	*stream_p = pending->stream;
	unlink_pending(gateway, pending);
	return true;
}

static void
connection_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct connection *connection = (struct connection *)watch;

	stn_switch_ready(&gateway->hub, &connection->port, events);
}

struct connection *
gateway_establish(struct gateway *gateway, struct pending *pending,
		  struct stn_port as)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (connection)
		connection->port = as;
	if (!connection ||
	    !gateway_take_stream(gateway, pending, &connection->port.stream)) {
		gateway_fail(gateway, "out of memory");
		free(connection);
		return NULL;
	}
	connection->watch.ready = connection_ready;
	return connection;
}

static void pending_ready(struct gateway *gateway, struct watch *watch,
			  uint32_t events);

/* Adds a pending connection; NULL, and @fd is closed, if that fails. */
static struct pending *
pending_admit(struct gateway *gateway, int fd, const struct stn_host_port *from,
	      enum pending_state state, uint32_t events)
{
	struct pending *pending = calloc(1, sizeof(*pending));

	if (!pending) {
		close(fd);
		return NULL;
	}
	pending->watch.ready = pending_ready;
	pending->state = state;
	pending->fd = fd;
	pending->address = *from;
	pending->outgoing = state == PENDING_CONNECTS;
	pending->deadline_ns =
		gateway_now() + (pending->outgoing ? CONNECT_NS : TLS_NS);
	LIST_INSERT_HEAD(&gateway->pending.all, pending, link);
	if (!gateway_watch(&gateway->loop, &pending->watch, fd, events)) {
		gateway_close_pending(gateway, pending, NULL);
		return NULL;
	}
	return pending;
}

/*
 * How many unproved connections come from the same host; 0 if a gateway is
 * expected there.
 */
static unsigned
count_same_host(const struct gateway *gateway, const struct pending *pending)
{
	const struct pending *at;
	unsigned count = 0;

	if (pending->expected)
		return 0;
	LIST_FOREACH (at, &gateway->pending.all, link)
		count += is_displaceable(at, true) &&
			 stn_host_port_is_near(&at->address, &pending->address);
	return count;
}

/*
 * Makes room for another connection. Of those from outside, closes one from the
 * host with the most, so that a single host can't keep all others out. Inside
 * all hosts are trusted. Among equals the last of the list is the oldest.
 */
static void
make_room(struct gateway *gateway, bool outside)
{
	struct pending *at, *most = NULL;
	unsigned crowd = 0, count = 0;

	LIST_FOREACH (at, &gateway->pending.all, link) {
		unsigned same_host;

		if (!is_displaceable(at, outside))
			continue;
		count++;
		same_host = outside ? count_same_host(gateway, at) : 0;
		if (same_host < crowd)
			continue;
		most = at;
		crowd = same_host;
	}
	if (count >= (outside ? OUTSIDE_MOST : INSIDE_MOST))
		gateway_close_pending(gateway, most,
				      "too many connections were pending");
}

/*
 * A gateway does not read its trunk while the next segment is for a node that is
 * full, and a node that hangs reads no segments. Heartbeats and
 * stn_switch_check_readers find out which of them is dead.
 */
static void
set_socket_options(int fd, uint64_t silence_ns)
{
	const int on = 1, lowat = STN_STREAM_OUT;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof(lowat));
	stn_keepalive_set(fd, silence_ns, false);
}

static void
accept_outside(struct gateway *gateway, int fd,
	       const struct stn_host_port *from)
{
	struct pending *pending;

	if ((gateway->begun && !gateway->late.max_nodes) || gateway->over ||
	    gateway->failure.declared) {
		if (!gateway_is_known_host(gateway, from) ||
		    gateway_now() > gateway->begun_ns + TLS_NS)
			gateway_say_refused(gateway, from,
					    "all clusters have joined already");
		close(fd);
		return;
	}
	make_room(gateway, true);
	pending = pending_admit(gateway, fd, from, PENDING_TLS, EPOLLIN);
	if (!pending)
		return;
	pending->expected = gateway_is_known_host(gateway, from);
	pending->session = stn_session_create(gateway->tls, fd, NULL);
	if (!pending->session)
		gateway_close_pending(gateway, pending, "out of memory");
}

void
gateway_admit(struct gateway *gateway, int fd, const struct stn_host_port *from,
	      bool outside)
{
	set_socket_options(fd, gateway->options->silence_ns);
	if (outside) {
		accept_outside(gateway, fd, from);
		return;
	}
	make_room(gateway, false);
	pending_admit(gateway, fd, from, PENDING_HANDSHAKE, EPOLLIN);
}

/*
 * An address of a kind that this host does not use fails at once, far more often
 * than others, and says less.
 */
static struct pending *
fail_at_once(struct cluster *cluster, const char *why)
{
	if (!*cluster->last_failure.text)
		note_failure(cluster, why);
	return NULL;
}

/* Bridges of containers have the same address on all hosts. */
static bool
is_own_address(const struct gateway *gateway, const struct stn_host_port *is)
{
	const struct stn_meeting_entry *own = &gateway->discovery.entry;

	for (size_t i = 0; i < own->count; i++)
		if (own->addresses[i].port == is->port &&
		    IN6_ARE_ADDR_EQUAL(&own->addresses[i].address,
				       &is->address))
			return true;
	return false;
}

struct pending *
gateway_connect(struct gateway *gateway, struct cluster *cluster,
		const struct stn_host_port *to)
{
	struct sockaddr_storage address;
	socklen_t bytes = stn_host_port_to_socket(to, &address);
	struct pending *pending;
	int fd;

	if (is_own_address(gateway, to))
		return fail_at_once(cluster,
				    "it is this gateway's own address");
	fd = socket(address.ss_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fail_at_once(cluster, strerror(errno));
	set_socket_options(fd, gateway->options->silence_ns);
	if (connect(fd, (const struct sockaddr *)&address, bytes) &&
	    errno != EINPROGRESS) {
		fail_at_once(cluster, strerror(errno));
		close(fd);
		return NULL;
	}
	pending = pending_admit(gateway, fd, to, PENDING_CONNECTS, EPOLLOUT);
	if (pending)
		strcpy(pending->cluster, cluster->name);
	return pending;
}

static void
tls_proved(struct gateway *gateway, struct pending *pending)
{
	pending->state = PENDING_HELLO;
	pending->deadline_ns = gateway_now() + HELLO_NS;
	strcpy(pending->cluster, stn_session_peer(pending->session));
	if (!stn_stream_init(&pending->stream, pending->fd, &stn_session_cipher,
			     pending->session)) {
		pending->session = NULL;
		pending->fd = -1;
		gateway_close_pending(gateway, pending, "out of memory");
		return;
	}
	gateway->pending.calls->proved(gateway, pending);
}

static void
step_tls(struct gateway *gateway, struct pending *pending)
{
	struct stn_why why;

	switch (stn_session_step(pending->session, &why)) {
	case STN_SESSION_READS:
		gateway_rewatch(&gateway->loop, &pending->watch, pending->fd,
				EPOLLIN);
		return;
	case STN_SESSION_WRITES:
		gateway_rewatch(&gateway->loop, &pending->watch, pending->fd,
				EPOLLOUT);
		return;
	case STN_SESSION_PROVED:
		tls_proved(gateway, pending);
		return;
	case STN_SESSION_FAILED:
		gateway_close_pending(gateway, pending, why.text);
	}
}

static void
connect_done(struct gateway *gateway, struct pending *pending)
{
	socklen_t bytes = sizeof(int);
	int err = 0;

	getsockopt(pending->fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
	if (!err)
		pending->session = stn_session_create(gateway->tls, pending->fd,
						      pending->cluster);
	if (!pending->session) {
		gateway_close_pending(gateway, pending,
				      err ? strerror(err) : "out of memory");
		return;
	}
	pending->state = PENDING_TLS;
	pending->deadline_ns = gateway_now() + TLS_NS;
	step_tls(gateway, pending);
}

/* Nothing is parsed before all bytes are there. */
static void
read_handshake(struct gateway *gateway, struct pending *pending)
{
	struct stn_handshake handshake;
	ssize_t got = recv(pending->fd, pending->handshake + pending->got,
			   sizeof(pending->handshake) - pending->got, 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		gateway_close_pending(gateway, pending, HUNG_UP);
		return;
	}
	pending->got += (size_t)got;
	if (pending->got < sizeof(pending->handshake))
		return;
	if (stn_handshake_read(pending->handshake, &handshake))
		gateway_close_pending(gateway, pending,
				      "it is not a node of Sateen");
	else if (CRYPTO_memcmp(handshake.token, gateway->token,
			       sizeof(handshake.token)))
		gateway_close_pending(gateway, pending,
				      "its token is not this run's");
	else
		gateway->pending.calls->handshake(gateway, pending, &handshake);
}

static void
pending_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct pending *pending = (struct pending *)watch;

	(void)events;
	switch (pending->state) {
	case PENDING_CONNECTS:
		connect_done(gateway, pending);
		break;
	case PENDING_TLS:
		step_tls(gateway, pending);
		break;
	case PENDING_HELLO:
	case PENDING_CHOICE:
	case PENDING_REFUSED:
		gateway->pending.calls->ready(gateway, pending);
		break;
	case PENDING_HANDSHAKE:
		read_handshake(gateway, pending);
		break;
	}
}

void
gateway_drop_connection(struct gateway *gateway, struct connection *connection)
{
	gateway_unwatch(&gateway->loop, connection->port.stream.fd);
	stn_stream_fini(&connection->port.stream);
	gateway_free_later(&gateway->loop, &connection->watch);
}

void
gateway_expire_pending(struct gateway *gateway, uint64_t now)
{
	struct pending *at;

	LIST_FOREACH (at, &gateway->pending.all, link)
		if (now > at->deadline_ns)
			gateway_close_pending(gateway, at,
					      is_proved(at)
						      ? "it was not needed"
						      : "it took too long");
}
