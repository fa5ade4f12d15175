/*
 * echo.h: what the roots of a run have printed. If a root dies, the next one
 * runs main again and prints the same again. The echo finds out how much of
 * that was printed before. All zeros: nothing was printed. One thread.
 *
 * The first STN_ECHO_BYTES are kept, of the rest a hash.
 */
#ifndef STN_LAUNCH_RUN_ECHO_H
#define STN_LAUNCH_RUN_ECHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/error.h"

#define STN_ECHO_BYTES ((size_t)64 << 20)

struct stn_echo {
	unsigned char *kept;
	size_t kept_bytes, room;
	bool full;	  /* no more bytes are kept */
	uint64_t total;	  /* bytes that were printed */
	uint64_t hash;	  /* of those that are not kept */
	uint64_t at;	  /* bytes of the present root */
	uint64_t at_hash; /* of those of them that are not kept */
	uint64_t lines; /* of the present root; complete, up to a difference */
};

/* stn_echo_restart: a new root begins with main. */
void stn_echo_restart(struct stn_echo *echo);

/*
 * stn_echo_take: the root has printed these bytes, which usually are whole
 * lines. Returns how many of them, at the front, were printed before; the rest
 * is new.
 * @differs_p  set to whether something else was printed before. The line that
 *     differs is new as a whole. If the bytes were not kept, the difference is
 *     found after the last of them, and nothing of them is new.
 */
size_t stn_echo_take(struct stn_echo *echo, const unsigned char *bytes,
		     size_t size, bool *differs_p);

/*
 * stn_echo_explain: writes to @why, in words for the user, from where on the
 * output of node @rank, the root, differs.
 */
void stn_echo_explain(const struct stn_echo *echo, uint32_t rank,
		      struct stn_why *why);

void stn_echo_fini(struct stn_echo *echo);

#endif
