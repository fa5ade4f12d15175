/*
 * path.h: one way from node 0 to node 1: Sateen's own, or a bare library's.
 * All are measured by the same loops (measure.c), which call them through this
 * table, so that nothing but the path differs.
 *
 * A call that can't go on ends the run with one line, by path_fail.
 */
#ifndef BENCH_PATH_H
#define BENCH_PATH_H

#include "transport/transport.h"
#include "transport/wireup/wireup.h"

#define PATH_ADDRESS_BYTES 512
#define PATH_WINDOW 16 /* messages of a stream under way, all paths alike */

/* What a path is opened with. Texts outlive it. */
struct path_opening {
	uint32_t rank;
	struct stn_wireup *wireup; /* to tell failures */
	const char *provider, *device, *address;
	size_t most; /* bytes that a message may have */
};

/* Begins every path; filled in by path_init. */
struct path {
	const struct path_ops *ops;
	struct stn_wireup *wireup;
	uint32_t rank;
	unsigned spins;
	uint64_t deadline_ns;
	char *out, *in; /* what is sent, and where it is put */
	size_t most;
};

/* Calls of node 0 on the left, of node 1 on the right. */
struct path_ops {
	const char *name;
	bool messages,
		payloads; /* what it is good for: small ones, large ones */

	/* On failure @why says what is missing; the path is left out then. */
	enum stn_err (*open)(const struct path_opening *opening,
			     struct path **path_p, struct stn_why *why);
	void (*close)(struct path *path);
	size_t (*address)(struct path *path,
			  unsigned char address[PATH_ADDRESS_BYTES]);
	enum stn_err (*connect)(struct path *path, const unsigned char *address,
				size_t bytes, struct stn_why *why);

	/* One round trip: node 1 answers by a message of the same size. */
	void (*ping)(struct path *path, size_t bytes);
	void (*pong)(struct path *path, size_t bytes);

	/*
	 * @count messages one way; both return when all have been put into
	 * node 1's memory, and node 0 knows.
	 */
	void (*stream)(struct path *path, size_t bytes, size_t count);
	void (*drain)(struct path *path, size_t bytes, size_t count);
};

/* path_warm: how many messages go before a stream of @count that is timed. */
static inline size_t
path_warm(size_t count)
{
	return count < PATH_WINDOW ? count : PATH_WINDOW;
}

/* path_byte: what byte @at of a node's messages is; never 0. */
static inline char
path_byte(uint32_t rank, size_t at)
{
	return (char)(1 + at % 61 + (rank ? 64 : 0));
}

/*
 * path_init: the common part, with memory for the messages.
 * path_fini: frees that.
 */
STN_CHECKED enum stn_err path_init(struct path *path,
				   const struct path_ops *ops,
				   const struct path_opening *opening,
				   struct stn_why *why);
void path_fini(struct path *path);

/* path_begin: from now on the peer has its time to answer. */
void path_begin(struct path *path);

/* path_fail: ends the run of both nodes with this line. */
_Noreturn void path_fail(struct path *path, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* path_look: is it too long since path_begin? Then fails. */
void path_look(struct path *path);

/* path_spin: to be called in every turn of a loop that waits. */
static inline void
path_spin(struct path *path)
{
	if (!(++path->spins & 0xfffff))
		path_look(path);
}

#endif
