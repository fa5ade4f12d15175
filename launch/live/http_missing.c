#include "launch/live/http.h"

static enum stn_err
missing_open(const struct stn_host_port *at, stn_http_page *page, void *arg,
	     struct stn_http **http_p, uint16_t *port_p, struct stn_why *why)
{
	(void)at, (void)page, (void)arg, (void)http_p, (void)port_p;
	return stn_because(why, STN_INVALID,
			   "--metrics needs an HTTP server, but this sateen "
			   "was built without libmicrohttpd; use sateen top");
}

/* The others are called after open has succeeded only. */
const struct stn_http_ops stn_http = { .open = missing_open };
