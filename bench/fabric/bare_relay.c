/*
 * bare_relay.c: two relays between the nodes, each a process of its own, with
 * TLS between them. A relay only reads bytes and writes them on. A gateway also
 * looks at each segment.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/fabric/bare.h"
#include "bench/fabric/tcp.h"

#define READ_BYTES 65536
#define SUITE "TLS_AES_128_GCM_SHA256" /* the gateways' suite */
#define KEY "0123456789abcdef0123456789abcdef"

/* The state of a relay's process. */
struct relay {
	int near, far;		/* sockets to its node and to the other relay */
	SSL *ssl;		/* over @far */
	char bytes[READ_BYTES]; /* read, and not yet written */
};

struct relayed {
	struct tcp tcp; /* must be first; to the relay, once the relay runs */
	int ends[2];	/* of the node-relay connection: node's, relay's */
	pid_t pid;
};

static struct relayed *
relayed_of(struct path *path)
{
	return (struct relayed *)path;
}

/* If SSL_write fails, the other relay has closed the connection. */
static bool
outwards(struct relay *relay)
{
	ssize_t got = recv(relay->near, relay->bytes, READ_BYTES, 0);

	return got > 0 && SSL_write(relay->ssl, relay->bytes, (int)got) == got;
}

/*
 * SSL_read returns one TLS record, and OpenSSL may hold more. epoll does not
 * report those, so all are read here.
 */
static bool
inwards(struct relay *relay)
{
	do {
		int got = SSL_read(relay->ssl, relay->bytes, READ_BYTES);

		if (got <= 0 ||
		    send(relay->near, relay->bytes, (size_t)got, 0) != got)
			return false;
	} while (SSL_has_pending(relay->ssl));
	return true;
}

static bool
watch(int watching, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return !epoll_ctl(watching, EPOLL_CTL_ADD, fd, &event);
}

static void
pass_on(struct relay *relay)
{
	int watching = epoll_create1(EPOLL_CLOEXEC), count;
	bool good = watch(watching, relay->near) && watch(watching, relay->far);
	struct epoll_event events[2];

	while (good) {
		count = epoll_wait(watching, events, 2, -1);
		for (int i = 0; i < count && good; i++)
			good = events[i].data.fd == relay->near
				       ? outwards(relay)
				       : inwards(relay);
	}
}

/* The key is public: the benchmark sends no secrets. */
static unsigned
tell_key(SSL *ssl, const char *identity, unsigned char *key, unsigned most)
{
	(void)ssl;
	(void)identity;
	if (most < sizeof(KEY) - 1)
		return 0;
	memcpy(key, KEY, sizeof(KEY) - 1);
	return sizeof(KEY) - 1;
}

static unsigned
show_key(SSL *ssl, const char *hint, char *identity, unsigned most_identity,
	 unsigned char *key, unsigned most)
{
	(void)hint;
	if (most_identity < sizeof("relay"))
		return 0;
	strcpy(identity, "relay");
	return tell_key(ssl, identity, key, most);
}

static bool
shake_hands(struct relay *relay, bool calls)
{
	SSL_CTX *context = SSL_CTX_new(TLS_method());

	if (!context ||
	    !SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) ||
	    !SSL_CTX_set_ciphersuites(context, SUITE) ||
	    !SSL_CTX_set_num_tickets(context, 0))
		return false;
	SSL_CTX_set_default_read_buffer_len(context, READ_BYTES);
	SSL_CTX_set_psk_client_callback(context, show_key);
	SSL_CTX_set_psk_server_callback(context, tell_key);
	relay->ssl = SSL_new(context);
	if (!relay->ssl || !SSL_set_fd(relay->ssl, relay->far))
		return false;
	if ((calls ? SSL_connect : SSL_accept)(relay->ssl) != 1)
		return false;
	/*
	 * Set only after the handshake. Otherwise OpenSSL could read data that
	 * follows the handshake, and epoll would never report that data.
	 */
	SSL_set_read_ahead(relay->ssl, 1);
	return true;
}

/*
 * The relay's main. Like a gateway it may run on any processor. The kernel
 * kills it when its node ends.
 */
_Noreturn static void
be_relay(int near, int far, bool calls)
{
	struct relay relay = { .near = near, .far = far };
	cpu_set_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	if (shake_hands(&relay, calls))
		pass_on(&relay);
	_exit(EXIT_SUCCESS);
}

static void
relay_close(struct path *path)
{
	struct relayed *relayed = relayed_of(path);

	for (int i = 0; i < 2; i++)
		if (relayed->ends[i] >= 0)
			close(relayed->ends[i]);
	tcp_close(path);
	if (relayed->pid > 0)
		waitpid(relayed->pid, NULL, 0);
}

/* Makes the node-relay connection: the node connects to its own listener. */
static enum stn_err
relay_open(struct path *path, const struct path_opening *opening,
	   struct stn_why *why)
{
	unsigned char address[PATH_ADDRESS_BYTES];
	struct relayed *relayed = relayed_of(path);
	enum stn_err err;

	relayed->ends[0] = relayed->ends[1] = -1;
	err = tcp_open(path, opening, why);
	if (err)
		return err;
	path->relayed = true;
	relayed->ends[0] = tcp_call(path, address, tcp_address(path, address));
	if (relayed->ends[0] >= 0)
		relayed->ends[1] = tcp_accept(path);
	if (relayed->ends[1] < 0)
		return stn_because(why, STN_IO, "can't connect: %s",
				   strerror(errno));
	return STN_OK;
}

static enum stn_err
relay_connect(struct path *path, const unsigned char *address, size_t bytes,
	      struct stn_why *why)
{
	struct relayed *relayed = relayed_of(path);
	enum stn_err err = tcp_connect(path, address, bytes, why);

	if (err)
		return err;
	relayed->pid = fork();
	if (!relayed->pid) {
		close(relayed->ends[0]);
		be_relay(relayed->ends[1], relayed->tcp.fd, !path->rank);
	}
	close(relayed->ends[1]);
	close(relayed->tcp.fd);
	relayed->tcp.fd = relayed->ends[0];
	relayed->ends[0] = relayed->ends[1] = -1;
	if (relayed->pid < 0)
		return stn_because(why, STN_IO, "can't start a relay: %s",
				   strerror(errno));
	return STN_OK;
}

const struct path_ops bare_relay = {
	.name = "TLS relays",
	.messages = true,
	.payloads = true,
	.bytes = sizeof(struct relayed),
	.open = relay_open,
	.close = relay_close,
	.address = tcp_address,
	.connect = relay_connect,
	.ping = tcp_ping,
	.pong = tcp_pong,
	.stream = tcp_stream,
	.drain = tcp_drain,
};
