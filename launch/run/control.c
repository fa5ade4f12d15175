#include "launch/run/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/run/descriptors.h"
#include "launch/wireup/bytes.h"

#define NAME_BYTES 24	     /* "/" and the number of a run */
#define ANSWER_BYTES (16u << 20) /* that a client has not read, at most */

struct client {
	int fd; /* -1: none */
	uint64_t number;
	bool asked, ended;
	struct stn_bytes in, out;
};

struct stn_control {
	stn_control_asked *asked;
	void *arg;
	int listener;
	struct sockaddr_un address;
	uint64_t last_number;
	struct client clients[STN_CONTROL_CLIENTS];
};

/* Is the directory this user's own, and closed to others? */
static enum stn_err
control_check(const char *path, struct stn_why *why)
{
	struct stat is;

	if (mkdir(path, 0700) && errno != EEXIST)
		return stn_because(why, STN_IO, "can't make %s: %s", path,
				   strerror(errno));
	if (lstat(path, &is) || !S_ISDIR(is.st_mode) ||
	    is.st_uid != geteuid() || is.st_mode & 077)
		return stn_because(why, STN_INVALID,
				   "%s is not a directory that only you can "
				   "use; remove it",
				   path);
	return STN_OK;
}

/* The user's own directory $XDG_RUNTIME_DIR, or NULL. */
static const char *
runtime_directory(void)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	struct stat is;

	return base && *base == '/' && !stat(base, &is) &&
			       is.st_uid == geteuid()
		       ? base
		       : NULL;
}

enum stn_err
stn_control_directory(char path[STN_CONTROL_PATH], struct stn_why *why)
{
	const char *base = runtime_directory();
	int length = STN_CONTROL_PATH;

	if (base)
		length = snprintf(path, STN_CONTROL_PATH, "%s/sateen", base);
	if (length >= STN_CONTROL_PATH - NAME_BYTES)
		snprintf(path, STN_CONTROL_PATH, "/tmp/sateen-%u",
			 (unsigned)geteuid());
	return control_check(path, why);
}

bool
stn_control_other(char path[STN_CONTROL_PATH])
{
	unsigned user = (unsigned)geteuid();
	const char *base = runtime_directory();
	struct stn_why why;
	char usual[40];

	snprintf(usual, sizeof(usual), "/run/user/%u", user);
	if (base && strcmp(base, usual) != 0)
		return false;
	if (base)
		snprintf(path, STN_CONTROL_PATH, "/tmp/sateen-%u", user);
	else
		snprintf(path, STN_CONTROL_PATH, "%s/sateen", usual);
	return !access(path, F_OK) && !control_check(path, &why);
}

/*
 * The socket gets its name when it listens already, because a client takes a
 * socket that refuses connections for one that was left behind.
 */
static bool
control_begin(struct stn_control *control)
{
	struct sockaddr_un *address = &control->address;
	struct sockaddr_un hidden = { .sun_family = AF_UNIX };
	char directory[STN_CONTROL_PATH];
	struct stn_why why;

	if (stn_control_directory(directory, &why))
		return false;
	address->sun_family = AF_UNIX;
	if (snprintf(address->sun_path, sizeof(address->sun_path), "%s/%ld",
		     directory,
		     (long)getpid()) >= (int)sizeof(address->sun_path) ||
	    snprintf(hidden.sun_path, sizeof(hidden.sun_path), "%s/.%ld",
		     directory, (long)getpid()) >= (int)sizeof(hidden.sun_path))
		return false;
	unlink(hidden.sun_path);
	return !bind(control->listener, (struct sockaddr *)&hidden,
		     sizeof(hidden)) &&
	       !listen(control->listener, STN_CONTROL_CLIENTS) &&
	       !rename(hidden.sun_path, address->sun_path);
}

struct stn_control *
stn_control_open(stn_control_asked *asked, void *arg)
{
	struct stn_control *control = calloc(1, sizeof(*control));

	if (!control)
		return NULL;
	control->asked = asked;
	control->arg = arg;
	for (size_t i = 0; i < STN_CONTROL_CLIENTS; i++)
		control->clients[i].fd = -1;
	control->listener =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (control->listener >= 0 && control_begin(control))
		return control;
	stn_descriptor_close(&control->listener);
	free(control);
	return NULL;
}

static void
control_drop(struct client *client)
{
	stn_descriptor_close(&client->fd);
	stn_bytes_fini(&client->in);
	stn_bytes_fini(&client->out);
}

/* If the client is gone, it is dropped. */
static void
control_write(struct client *client)
{
	while (stn_bytes_count(&client->out)) {
		size_t before = stn_bytes_count(&client->out);

		if (stn_bytes_write(&client->out, client->fd, SIZE_MAX)) {
			control_drop(client);
			return;
		}
		if (stn_bytes_count(&client->out) == before)
			return; /* the client does not read at the moment */
	}
	if (client->ended)
		control_drop(client);
}

/*
 * Adds a line to the answer, and sends as much as the socket takes now. Line
 * feeds in @text become blanks.
 */
static void
control_answer(struct client *client, char what, const char *text)
{
	struct stn_bytes *out = &client->out;
	bool added = stn_bytes_count(out) < ANSWER_BYTES &&
		     stn_bytes_add(out, &what, 1);

	for (; added && *text; text++)
		added = stn_bytes_add(out, *text == '\n' ? " " : text, 1);
	client->ended = what != ' ';
	if (added && stn_bytes_add(out, "\n", 1))
		control_write(client);
	else
		control_drop(client);
}

static struct client *
control_client(struct stn_control *control, uint64_t number)
{
	for (size_t i = 0; control && i < STN_CONTROL_CLIENTS; i++) {
		struct client *client = &control->clients[i];

		if (client->fd >= 0 && client->asked && !client->ended &&
		    client->number == number)
			return client;
	}
	return NULL;
}

bool
stn_control_waits(struct stn_control *control, uint64_t number)
{
	return control_client(control, number);
}

void
stn_control_say(struct stn_control *control, uint64_t number, const char *text)
{
	struct client *client = control_client(control, number);

	if (client)
		control_answer(client, ' ', text);
}

void
stn_control_end(struct stn_control *control, uint64_t number, const char *error)
{
	struct client *client = control_client(control, number);

	if (client)
		control_answer(client, error ? '!' : '.', error ? error : "");
}

void
stn_control_close(struct stn_control *control)
{
	if (!control)
		return;
	unlink(control->address.sun_path);
	for (size_t i = 0; i < STN_CONTROL_CLIENTS; i++) {
		struct client *client = &control->clients[i];

		if (client->fd >= 0 && client->asked && !client->ended)
			control_answer(client, '!', "the run has ended");
		if (client->fd >= 0)
			control_drop(client);
	}
	close(control->listener);
	free(control);
}

uint32_t
stn_control_fds(const struct stn_control *control, struct pollfd *fds)
{
	if (!control)
		return 0;
	fds[0] = (struct pollfd){ control->listener, POLLIN, 0 };
	for (size_t i = 0; i < STN_CONTROL_CLIENTS; i++) {
		const struct client *client = &control->clients[i];
		short events = POLLIN;

		if (stn_bytes_count(&client->out))
			events |= POLLOUT;
		fds[1 + i] = (struct pollfd){ client->fd, events, 0 };
	}
	return STN_CONTROL_FDS;
}

static bool
is_of_this_user(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       (peer.uid == geteuid() || !peer.uid);
}

static void
control_accept(struct stn_control *control)
{
	int fd = accept4(control->listener, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	for (size_t i = 0; fd >= 0 && i < STN_CONTROL_CLIENTS; i++) {
		struct client *client = &control->clients[i];

		if (client->fd >= 0 || !is_of_this_user(fd))
			continue;
		*client = (struct client){ .fd = fd,
					   .number = ++control->last_number };
		return;
	}
	stn_descriptor_close(&fd);
}

static bool
is_word(const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word < ' ' || *word == 127)
			return false;
	return true;
}

enum stn_err
stn_control_parse(const char *bytes, size_t size,
		  struct stn_control_request *request)
{
	size_t at = 0;

	request->count = 0;
	while (at < size && bytes[at]) {
		const char *word = bytes + at;
		size_t length = strnlen(word, size - at);

		if (length == size - at)
			break; /* the word has no end yet */
		if (request->count == STN_CONTROL_WORDS || !is_word(word))
			return STN_MALFORMED;
		request->words[request->count++] = word;
		at += length + 1;
	}
	if (at < size && !bytes[at])
		return request->count && at + 1 == size ? STN_OK
							: STN_MALFORMED;
	return size < STN_CONTROL_BYTES ? STN_MISSING : STN_MALFORMED;
}

static void
control_read(struct stn_control *control, struct client *client)
{
	struct stn_control_request request = { .number = client->number };
	enum stn_err err = stn_bytes_read(&client->in, client->fd);

	if (!err && client->asked) /* there is one request only */
		err = STN_MALFORMED;
	if (!err)
		err = stn_control_parse(
			(const char *)stn_bytes_front(&client->in),
			stn_bytes_count(&client->in), &request);
	if (err == STN_MISSING)
		return;
	if (err) {
		control_drop(client);
		return;
	}
	client->asked = true;
	control->asked(control->arg, &request);
}

void
stn_control_listen(struct stn_control *control, const struct pollfd *fds)
{
	for (size_t i = 0; control && i < STN_CONTROL_CLIENTS; i++) {
		struct client *client = &control->clients[i];

		if (fds[1 + i].revents & POLLOUT && client->fd >= 0)
			control_write(client);
		if (fds[1 + i].revents & ~POLLOUT && client->fd >= 0)
			control_read(control, client);
	}
	if (control && fds[0].revents)
		control_accept(control);
}
