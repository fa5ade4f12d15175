#include "transport/far/uplink.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_MS 3000
#define ROUNDS 5 /* each tries all addresses */
#define ANSWER_SECONDS 30

static bool
read_digit(char digit, unsigned *value_p)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = digit ? strchr(digits, digit) : NULL;

	if (at)
		*value_p = *value_p * 16 + (unsigned)(at - digits);
	return at;
}

static bool
read_token(const char *text, unsigned char token[STN_TOKEN_BYTES])
{
	for (size_t i = 0; i < STN_TOKEN_BYTES; i++) {
		unsigned value = 0;

		if (!read_digit(text[2 * i], &value) ||
		    !read_digit(text[2 * i + 1], &value))
			return false;
		token[i] = (unsigned char)value;
	}
	return text[2 * STN_TOKEN_BYTES] == '@';
}

static bool
is_port(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= 5 && !text[digits] && atoi(text) > 0 &&
	       atoi(text) <= UINT16_MAX;
}

/* Cuts "A:P", or "[A]:P" if A contains colons. */
static bool
cut_address(char *address, struct stn_uplink *uplink)
{
	char *colon = strrchr(address, ':');

	if (!colon || colon == address || !is_port(colon + 1))
		return false;
	*colon = '\0';
	if (*address == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		address++;
	}
	if (!*address)
		return false;
	uplink->addresses[uplink->count] = address;
	uplink->ports[uplink->count++] = colon + 1;
	return true;
}

static bool
read_addresses(struct stn_uplink *uplink)
{
	char *rest = uplink->text, *address;

	while ((address = strsep(&rest, ",")))
		if (uplink->count == STN_GATEWAY_ADDRESSES ||
		    !cut_address(address, uplink))
			return false;
	return true;
}

enum stn_err
stn_uplink_read(const char *text, struct stn_uplink *uplink,
		struct stn_why *why)
{
	memset(uplink, 0, sizeof(*uplink));
	if (strlen(text) < sizeof(uplink->text) &&
	    read_token(text, uplink->token)) {
		strcpy(uplink->text, text + 2 * STN_TOKEN_BYTES + 1);
		if (read_addresses(uplink))
			return STN_OK;
	}
	return stn_because(
		why, STN_INVALID,
		"the value of %s is not one that `sateen join` sets; start "
		"this program by `sateen join`, or unset the variable",
		STN_GATEWAY);
}

enum stn_err
stn_uplink_write(char text[STN_GATEWAY_BYTES],
		 const unsigned char token[STN_TOKEN_BYTES],
		 const char *const *addresses, size_t count)
{
	size_t room = STN_GATEWAY_BYTES, used;

	for (size_t i = 0; i < STN_TOKEN_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", token[i]);
	used = 2 * STN_TOKEN_BYTES;
	for (size_t i = 0; i < count; i++) {
		int more = snprintf(text + used, room - used, "%c%s",
				    i ? ',' : '@', addresses[i]);

		if (more < 0 || (size_t)more >= room - used)
			return STN_INVALID;
		used += (size_t)more;
	}
	return count && count <= STN_GATEWAY_ADDRESSES ? STN_OK : STN_INVALID;
}

/* Bounds the wait: an address where nothing answers would take minutes. */
static bool
finish_connect(int fd)
{
	struct pollfd wait = { fd, POLLOUT, 0 };
	socklen_t size = sizeof(int);
	int err = 0, count;

	if (errno != EINPROGRESS)
		return false;
	do
		count = poll(&wait, 1, CONNECT_MS);
	while (count < 0 && errno == EINTR);
	if (count != 1 ||
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size))
		return false;
	errno = err;
	return !err;
}

static bool
connect_to(const struct addrinfo *to, int *fd_p)
{
	int fd = socket(to->ai_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;

	if (fd < 0)
		return false;
	if (connect(fd, to->ai_addr, to->ai_addrlen) && !finish_connect(fd)) {
		close(fd);
		return false;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*fd_p = fd;
	return true;
}

static bool
try_address(const struct stn_uplink *uplink, size_t i, int *fd_p)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all, *at;
	bool connected = false;

	if (getaddrinfo(uplink->addresses[i], uplink->ports[i], &hints, &all))
		return false;
	for (at = all; at && !connected; at = at->ai_next)
		connected = connect_to(at, fd_p);
	freeaddrinfo(all);
	return connected;
}

/* Reads exactly @size bytes. @timeout_ms  for each wait; -1: none */
static bool
uplink_read_all(int fd, void *bytes, size_t size, int timeout_ms)
{
	struct pollfd wait = { fd, POLLIN, 0 };
	char *at = bytes;

	while (size) {
		ssize_t got = recv(fd, at, size, 0);

		if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (poll(&wait, 1, timeout_ms) == 0)
				return false;
			continue;
		}
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

/* Sends the handshake. Returns false if the answer is not a gateway's. */
static bool
shake_hands(int fd, const struct stn_handshake *uplink_handshake,
	    struct stn_handshake_answer *answer, int timeout_ms)
{
	unsigned char bytes[STN_HANDSHAKE_BYTES],
		said[STN_HANDSHAKE_ANSWER_BYTES];

	stn_handshake_write(bytes, uplink_handshake);
	return send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) == sizeof(bytes) &&
	       uplink_read_all(fd, said, sizeof(said), timeout_ms) &&
	       !stn_handshake_answer_read(said, answer);
}

/* Closes the connection. Returns the refusal, with the gateway's reason. */
static enum stn_err
uplink_refused(int fd, const struct stn_handshake_answer *answer,
	       struct stn_why *why)
{
	char text[STN_LAYOUT_BYTES + 1] = "";

	if (!uplink_read_all(fd, text, answer->bytes, ANSWER_SECONDS * 1000))
		text[0] = '\0';
	close(fd);
	return stn_because(why, STN_REFUSED, "the gateway says: %.300s", text);
}

/*
 * Tries the addresses in turn, several times, beginning with the one that
 * answered last.
 */
static enum stn_err
uplink_handshake(struct stn_uplink *uplink, struct stn_handshake *said,
		 int timeout_ms, struct stn_handshake_answer *answer, int *fd_p,
		 struct stn_why *why)
{
	memcpy(said->token, uplink->token, sizeof(said->token));
	for (unsigned i = 0; i < ROUNDS * uplink->count; i++) {
		size_t at = (uplink->best + i) % uplink->count;
		int fd;

		if (i && at == uplink->best)
			poll(NULL, 0, 200);
		if (!try_address(uplink, at, &fd))
			continue;
		/*
		 * The gateway may be slow to read a connection for segments,
		 * while it waits for other clusters.
		 */
		stn_keepalive_set(fd, uplink->silence_ns,
				  said->what_for == STN_HANDSHAKE_CONTROL);
		if (!shake_hands(fd, said, answer, timeout_ms)) {
			close(fd);
			continue;
		}
		uplink->best = at;
		if (answer->refused)
			return uplink_refused(fd, answer, why);
		*fd_p = fd;
		return STN_OK;
	}
	return stn_because(
		why, STN_IO,
		"can't reach the gateway (`sateen join`) at %s, port "
		"%s%s; it must listen on an address that this host has a "
		"route to",
		uplink->addresses[0], uplink->ports[0],
		uplink->count > 1 ? ", and others" : "");
}

enum stn_err
stn_uplink_open_control(struct stn_uplink *uplink, uint32_t rank,
			uint32_t nodes, struct stn_layout *layout, int *fd_p,
			struct stn_why *why)
{
	struct stn_handshake said = {
		STN_HANDSHAKE_CONTROL, rank, nodes, { 0 }
	};
	unsigned char bytes[STN_LAYOUT_BYTES];
	struct stn_handshake_answer answer;
	enum stn_err err;
	int fd;

	err = uplink_handshake(uplink, &said, -1, &answer, &fd, why);
	if (err)
		return err;
	if (!uplink_read_all(fd, bytes, answer.bytes, ANSWER_SECONDS * 1000) ||
	    stn_layout_read(bytes, answer.bytes, layout)) {
		close(fd);
		return stn_because(why, STN_MALFORMED,
				   "the gateway has another version of Sateen");
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	*fd_p = fd;
	return STN_OK;
}

enum stn_err
stn_uplink_open_segments(struct stn_uplink *uplink, uint32_t rank,
			 uint32_t cluster, int *fd_p, struct stn_why *why)
{
	struct stn_handshake said = {
		STN_HANDSHAKE_SEGMENTS, rank, cluster, { 0 }
	};
	struct stn_handshake_answer answer;

	return uplink_handshake(uplink, &said, ANSWER_SECONDS * 1000, &answer,
				fd_p, why);
}

enum stn_err
stn_uplink_open_launcher(struct stn_uplink *uplink, uint32_t nodes, int *fd_p,
			 struct stn_why *why)
{
	struct stn_handshake said = { STN_HANDSHAKE_LAUNCHER, 0, nodes, { 0 } };
	struct stn_handshake_answer answer;
	enum stn_err err;
	int fd;

	err = uplink_handshake(uplink, &said, ANSWER_SECONDS * 1000, &answer,
			       &fd, why);
	if (err)
		return err;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	*fd_p = fd;
	return STN_OK;
}
