/*
 * http.h: a small HTTP server with one page, /metrics. The launcher knows it as
 * a table of functions, because only the command sateen is linked with the
 * server's library. One thread, which polls the server's descriptor.
 */
#ifndef STN_LAUNCH_LIVE_HTTP_H
#define STN_LAUNCH_LIVE_HTTP_H

#include <stdio.h>

#include "launch/gateway/host_port.h"
#include "transport/error.h"

struct stn_http;

/* Writes the page, in Prometheus' text format 0.0.4. */
typedef void stn_http_page(void *arg, FILE *out);

struct stn_http_ops {
	/*
	 * Listens on @at; port 0 stands for a free one. STN_INVALID: this
	 * Sateen has no HTTP server; STN_IN_USE: the port is taken, or the
	 * address is not this host's; STN_IO; STN_NO_MEMORY.
	 * @port_p  the port
	 */
	enum stn_err (*open)(const struct stn_host_port *at,
			     stn_http_page *page, void *arg,
			     struct stn_http **http_p, uint16_t *port_p,
			     struct stn_why *why);

	/* A descriptor to poll for input. */
	int (*fd)(const struct stn_http *http);

	/* Milliseconds until run must be called; -1: when there is input. */
	int (*wait)(struct stn_http *http);

	/* Serves clients. Does not block. */
	void (*run)(struct stn_http *http);

	/* Closes all connections. */
	void (*close)(struct stn_http *http);
};

/* The server of libmicrohttpd, or one that says that it is missing. */
extern const struct stn_http_ops stn_http;

#endif
