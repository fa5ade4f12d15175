#include "apps/sateen/top/fetch.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "launch/run/control.h"

#define PATIENCE_SECONDS 5
#define ANSWER_MOST (64u << 20)

/* A line of the launcher's answer. */
static void
add_line(void *out, const char *text)
{
	fprintf(out, "%s\n", text);
}

static enum stn_err
fetch_control(const char *run, FILE *out, struct stn_why *why)
{
	static const char *const words[] = { "metrics", NULL };

	return stn_control_ask(run, words, PATIENCE_SECONDS, add_line, out,
			       why);
}

/* Returns a connected socket, or minus the error number. */
static int
connect_one(const struct addrinfo *at)
{
	const struct timeval patience = { PATIENCE_SECONDS, 0 };
	int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
	int problem;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!connect(fd, at->ai_addr, at->ai_addrlen))
		return fd;
	problem = errno;
	close(fd);
	return -problem;
}

/*
 * A signal interrupts the connecting, for example when the window's size
 * changes: then it begins anew.
 */
static int
connect_again(const struct addrinfo *at)
{
	int fd;

	do
		fd = connect_one(at);
	while (fd == -EINTR);
	return fd;
}

static enum stn_err
connect_to(const char *name, int *fd_p, struct stn_why *why)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(name, ':');
	struct addrinfo *list = NULL;
	char host[256];
	int fd = -EADDRNOTAVAIL, failure;

	snprintf(host, sizeof(host), "%.*s", (int)(colon - name), name);
	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		memmove(host, host + 1, strlen(host));
	}
	failure = getaddrinfo(host, colon + 1, &hints, &list);
	if (failure)
		return stn_because(why, STN_LOST, "can't find %.100s: %s",
				   name, gai_strerror(failure));
	for (struct addrinfo *at = list; at && fd < 0; at = at->ai_next)
		fd = connect_again(at);
	freeaddrinfo(list);
	if (fd < 0)
		return stn_because(why,
				   fd == -ECONNREFUSED ? STN_MISSING : STN_LOST,
				   "can't connect to %.100s: %s", name,
				   strerror(-fd));
	*fd_p = fd;
	return STN_OK;
}

bool
top_page(const char *answer, size_t size, const char **page_p,
	 size_t *page_bytes_p)
{
	static const char end[] = "\r\n\r\n";
	const char *page = size ? memmem(answer, size, end, 4) : NULL;

	if (!page || size < 12 || strncmp(answer, "HTTP/1.", 7) ||
	    strncmp(answer + 8, " 200", 4))
		return false;
	*page_p = page + 4;
	*page_bytes_p = size - (size_t)(*page_p - answer);
	return true;
}

/* With a timeout, a signal interrupts recv even if its handler restarts calls. */
static ssize_t
receive(int fd, char *bytes, size_t room)
{
	ssize_t got;

	do
		got = recv(fd, bytes, room, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

/* HTTP/1.0: the server closes the connection behind its answer. */
static enum stn_err
ask_page(int fd, const char *name, FILE *out, struct stn_why *why)
{
	char request[400], bytes[16384];
	int length =
		snprintf(request, sizeof(request),
			 "GET /metrics HTTP/1.0\r\nHost: %.300s\r\n\r\n", name);
	size_t all = 0;
	ssize_t got;

	if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length)
		return stn_because(why, STN_LOST, "%.100s does not answer",
				   name);
	while ((got = receive(fd, bytes, sizeof(bytes))) > 0 &&
	       (all += (size_t)got) < ANSWER_MOST)
		fwrite(bytes, 1, (size_t)got, out);
	if (got || !all)
		return stn_because(why, STN_LOST, "%.100s does not answer",
				   name);
	return STN_OK;
}

/* @url is HOST:PORT, or http://HOST:PORT/metrics, as sateen run prints it. */
static enum stn_err
fetch_http(const char *url, FILE *out, struct stn_why *why)
{
	char name[256 + 8];
	enum stn_err err;
	int fd = -1;

	if (!strncmp(url, "http://", 7))
		url += 7;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(url, "/"), url);
	if (!strchr(name, ':'))
		return stn_because(why, STN_MISSING,
				   "%.100s has no port; give HOST:PORT", url);
	err = connect_to(name, &fd, why);
	if (err)
		return err;
	err = ask_page(fd, name, out, why);
	close(fd);
	return err;
}

/* Leaves the page alone of an answer in @text. */
static enum stn_err
take_page(const char *name, char *text, size_t *size_p, struct stn_why *why)
{
	const char *page;
	size_t bytes;

	if (!top_page(text, *size_p, &page, &bytes))
		return stn_because(why, STN_MALFORMED,
				   "%.100s does not serve the metrics of a "
				   "run; see --metrics of sateen run",
				   name);
	memmove(text, page, bytes);
	*size_p = bytes;
	return STN_OK;
}

enum stn_err
top_fetch(const char *run, char **text_p, size_t *size_p, struct stn_why *why)
{
	bool http = strchr(run, ':');
	char *text = NULL;
	FILE *out = open_memstream(&text, size_p);
	enum stn_err err;

	if (!out)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = http ? fetch_http(run, out, why) : fetch_control(run, out, why);
	if (fclose(out) && !err)
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!err && http)
		err = take_page(run, text, size_p, why);
	if (err) {
		free(text);
		return err;
	}
	*text_p = text;
	return STN_OK;
}
