#include "transport/wan/door.h"

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

#include "transport/wan/silence.h"

#define CONNECT_MS 3000
#define ROUNDS 5 /* of tries with all addresses */
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

/* Cuts "A:P", or "[A]:P" where colons are in A. */
static bool
cut_address(char *address, struct stn_door *door)
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
	door->addresses[door->count] = address;
	door->ports[door->count++] = colon + 1;
	return true;
}

static bool
read_addresses(struct stn_door *door)
{
	char *rest = door->text, *address;

	while ((address = strsep(&rest, ",")))
		if (door->count == STN_GATEWAY_ADDRESSES ||
		    !cut_address(address, door))
			return false;
	return true;
}

enum stn_err
stn_door_read(const char *text, struct stn_door *door, struct stn_why *why)
{
	memset(door, 0, sizeof(*door));
	if (strlen(text) < sizeof(door->text) &&
	    read_token(text, door->token)) {
		strcpy(door->text, text + 2 * STN_TOKEN_BYTES + 1);
		if (read_addresses(door))
			return STN_OK;
	}
	return stn_because(why, STN_INVALID,
			   "%s is not what `sateen join` sets; start this "
			   "program by that, or unset it",
			   STN_GATEWAY);
}

enum stn_err
stn_door_write(char text[STN_GATEWAY_BYTES],
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

/* Waits, so that an address nobody answers at doesn't take minutes. */
static bool
finish_connect(int fd)
{
	struct pollfd wait = { fd, POLLOUT, 0 };
	socklen_t size = sizeof(int);
	int err = 0;

	if (errno != EINPROGRESS || poll(&wait, 1, CONNECT_MS) != 1 ||
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
try_address(const struct stn_door *door, size_t i, int *fd_p)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all, *at;
	bool connected = false;

	if (getaddrinfo(door->addresses[i], door->ports[i], &hints, &all))
		return false;
	for (at = all; at && !connected; at = at->ai_next)
		connected = connect_to(at, fd_p);
	freeaddrinfo(all);
	return connected;
}

/* Reads exactly @size bytes, within the given time. */
static bool
read_all(int fd, void *bytes, size_t size, int timeout_ms)
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

/* What another gateway than ours wouldn't answer. */
static bool
knock_at(int fd, const struct stn_knock *knock, struct stn_answer *answer,
	 int timeout_ms)
{
	unsigned char bytes[STN_KNOCK_BYTES], said[STN_ANSWER_BYTES];

	stn_knock_write(bytes, knock);
	return send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) == sizeof(bytes) &&
	       read_all(fd, said, sizeof(said), timeout_ms) &&
	       !stn_answer_read(said, answer);
}

static enum stn_err
refused(int fd, const struct stn_answer *answer, struct stn_why *why)
{
	char text[STN_LAYOUT_BYTES + 1] = "";

	if (!read_all(fd, text, answer->bytes, ANSWER_SECONDS * 1000))
		text[0] = '\0';
	return stn_because(why, STN_REFUSED, "the gateway says: %.300s", text);
}

/* The addresses in turn, the one that answered last first, several times. */
static enum stn_err
knock(struct stn_door *door, const struct stn_knock *said, int timeout_ms,
      struct stn_answer *answer, int *fd_p, struct stn_why *why)
{
	for (unsigned i = 0; i < ROUNDS * door->count; i++) {
		size_t at = (door->best + i) % door->count;
		int fd;

		if (i && at == door->best)
			poll(NULL, 0, 200);
		if (!try_address(door, at, &fd))
			continue;
		/* It may be long in passing on what goes by a road. */
		stn_silence_bound(fd, door->silence_ns,
				  said->what_for == STN_KNOCK_CONTROL);
		if (knock_at(fd, said, answer, timeout_ms)) {
			door->best = at;
			*fd_p = fd;
			return STN_OK;
		}
		close(fd);
	}
	return stn_because(
		why, STN_IO,
		"can't reach the gateway (`sateen join`) at %s, port "
		"%s%s; it must listen on an address that this host has a "
		"route to",
		door->addresses[0], door->ports[0],
		door->count > 1 ? ", and others" : "");
}

enum stn_err
stn_door_control(struct stn_door *door, uint32_t rank, uint32_t nodes,
		 struct stn_layout *layout, int *fd_p, struct stn_why *why)
{
	struct stn_knock said = { STN_KNOCK_CONTROL, rank, nodes, { 0 } };
	unsigned char bytes[STN_LAYOUT_BYTES];
	struct stn_answer answer;
	enum stn_err err;
	int fd;

	memcpy(said.token, door->token, sizeof(said.token));
	err = knock(door, &said, -1, &answer, &fd, why);
	if (err)
		return err;
	if (answer.refused)
		err = refused(fd, &answer, why);
	else if (!read_all(fd, bytes, answer.bytes, ANSWER_SECONDS * 1000) ||
		 stn_layout_read(bytes, answer.bytes, layout))
		err = stn_because(why, STN_MALFORMED,
				  "the gateway is of another version");
	if (err) {
		close(fd);
		return err;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	*fd_p = fd;
	return STN_OK;
}

enum stn_err
stn_door_road(struct stn_door *door, uint32_t rank, uint32_t cluster, int *fd_p,
	      struct stn_why *why)
{
	struct stn_knock said = { STN_KNOCK_ROAD, rank, cluster, { 0 } };
	struct stn_answer answer;
	enum stn_err err;
	int fd;

	memcpy(said.token, door->token, sizeof(said.token));
	err = knock(door, &said, ANSWER_SECONDS * 1000, &answer, &fd, why);
	if (err)
		return err;
	if (answer.refused) {
		err = refused(fd, &answer, why);
		close(fd);
		return err;
	}
	*fd_p = fd;
	return STN_OK;
}
