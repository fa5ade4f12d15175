#include "launch/live/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECTIONS 16	    /* at a time */
#define PATIENCE_SECONDS 10 /* for a client that is silent */

struct stn_http {
	struct MHD_Daemon *daemon;
	stn_http_page *page;
	void *arg;
};

/* Takes @text, which the library frees. */
static enum MHD_Result
http_answer(struct MHD_Connection *connection, unsigned status,
	    const char *type, char *text, size_t bytes)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		bytes, text, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result = MHD_NO;

	if (!response) {
		free(text);
		return MHD_NO;
	}
	if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				    type) == MHD_YES)
		result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result
answer_page(struct stn_http *http, struct MHD_Connection *connection)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return MHD_NO; /* closes the connection */
	http->page(http->arg, out);
	if (fclose(out)) {
		free(text);
		return MHD_NO;
	}
	return http_answer(connection, MHD_HTTP_OK,
			   "text/plain; version=0.0.4; charset=utf-8", text,
			   bytes);
}

static enum MHD_Result
answer_words(struct MHD_Connection *connection, unsigned status,
	     const char *words)
{
	char *text = strdup(words);

	return text ? http_answer(connection, status, "text/plain", text,
				  strlen(text))
		    : MHD_NO;
}

static enum MHD_Result
http_asked(void *arg, struct MHD_Connection *connection, const char *url,
	   const char *method, const char *version, const char *data,
	   size_t *data_bytes, void **state)
{
	(void)version, (void)data, (void)state;
	if (*data_bytes) { /* of a request that is refused below */
		*data_bytes = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_words(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				    "only GET is allowed\n");
	if (strcmp(url, "/metrics"))
		return answer_words(connection, MHD_HTTP_NOT_FOUND,
				    "the page is /metrics\n");
	return answer_page(arg, connection);
}

static void
http_close(struct stn_http *http)
{
	MHD_stop_daemon(http->daemon);
	free(http);
}

static enum stn_err
refuse_port(const struct stn_host_port *at, int problem, struct stn_why *why)
{
	bool taken = problem == EADDRINUSE || problem == EADDRNOTAVAIL;
	char text[STN_HOST_PORT_BYTES];

	stn_host_port_write(text, at);
	return stn_because(why, taken ? STN_IN_USE : STN_IO,
			   "can't serve metrics at %s: %s; give another "
			   "address by --metrics",
			   text, strerror(problem));
}

/* The library gets a socket that listens already. */
static enum stn_err
http_open(const struct stn_host_port *at, stn_http_page *page, void *arg,
	  struct stn_http **http_p, uint16_t *port_p, struct stn_why *why)
{
	struct stn_http *http = calloc(1, sizeof(*http));
	enum stn_err err;
	int fd, problem;

	if (!http)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = stn_listen(at, 1, at->port, at->port, &fd, port_p, why);
	problem = errno;
	if (err) {
		free(http);
		return refuse_port(at, problem, why);
	}
	http->page = page;
	http->arg = arg;
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, http_asked, http,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)PATIENCE_SECONDS, MHD_OPTION_END);
	if (!http->daemon) {
		close(fd);
		free(http);
		return stn_because(why, STN_IO, "libmicrohttpd can't start");
	}
	*http_p = http;
	return STN_OK;
}

static int
http_fd(const struct stn_http *http)
{
	return MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)
		->epoll_fd;
}

static int
http_wait(struct stn_http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(http->daemon, &ms) != MHD_YES)
		return -1;
	return ms < 60000 ? (int)ms : 60000;
}

static void
http_run(struct stn_http *http)
{
	MHD_run(http->daemon);
}

const struct stn_http_ops stn_http = {
	.open = http_open,
	.fd = http_fd,
	.wait = http_wait,
	.run = http_run,
	.close = http_close,
};
