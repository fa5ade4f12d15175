/*
 * fetch.h: gets the metrics of a run, as text: from its launcher's control
 * socket, or by HTTP from where --metrics serves them.
 */
#ifndef APPS_SATEEN_TOP_FETCH_H
#define APPS_SATEEN_TOP_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/error.h"

/*
 * top_fetch: the metrics of @run, a number of `sateen runs`, HOST:PORT, or
 * http://HOST:PORT/metrics.
 * Blocks, for some seconds at most if the other end is silent.
 * @text_p  the caller frees it
 * STN_MISSING: there is no such run, or it has ended; STN_LOST: the run does not
 * answer, or ended meanwhile; STN_REFUSED, STN_NO_MEMORY, STN_MALFORMED.
 */
STN_CHECKED enum stn_err top_fetch(const char *run, char **text_p,
				   size_t *size_p, struct stn_why *why);

/*
 * top_page: finds the page in the answer of an HTTP server. False if it is no
 * answer, or another one than "200 OK".
 * @page_p  points into @answer
 */
bool top_page(const char *answer, size_t size, const char **page_p,
	      size_t *page_bytes_p);

#endif
