/*
 * path.h: one way to send messages between node 0 and node 1: Sateen's own or
 * a bare library's. The same loops (measure.c) measure all paths and call them
 * through the table path_ops, so only the path differs.
 *
 * A call that fails ends the run with one line, by path_fail. All calls of a
 * path are made by one thread at a time.
 */
#ifndef BENCH_FABRIC_PATH_H
#define BENCH_FABRIC_PATH_H

#include <sched.h>

#include "transport/transport.h"
#include "launch/wireup/wireup.h"

#define PATH_ADDRESS_BYTES 512
/*
 * How many messages of a stream are under way. Sockets and a ring of slots move
 * bytes, not messages; on these paths the size of the buffers is the limit.
 */
#define PATH_WINDOW 16
#define PATH_NOTE_BYTES 16
#define PATH_SPINS 16 /* before a relayed path yields */

/* The arguments of open. The texts outlive the path. */
struct path_opening {
	uint32_t rank;
	struct stn_wireup *wireup; /* for reporting failures */
	const char *provider, *device, *address;
	uint16_t port, last_port; /* listens on a free one; both 0: on any */
	int patience_ms; /* how long connect may wait for the other end */
	size_t most;	 /* bytes of the largest message */
};

/* The first member of every path's struct; filled in by path_init. */
struct path {
	const struct path_ops *ops;
	struct stn_wireup *wireup;
	uint32_t rank;
	unsigned spins;
	bool relayed;  /* another process of this host passes its bytes on */
	bool advanced; /* something has completed since deadline_ns was set */
	uint64_t deadline_ns;
	char *out, *in; /* memory to send from and to receive into */
	size_t most;	/* bytes of each */
};

/* The types of calls that two paths share. */
typedef size_t path_address(struct path *path,
			    unsigned char address[PATH_ADDRESS_BYTES]);
typedef enum stn_err path_connect(struct path *path,
				  const unsigned char *address, size_t bytes,
				  struct stn_why *why);
typedef void path_message(struct path *path, size_t bytes);
typedef void path_messages(struct path *path, size_t bytes, size_t count);

/*
 * The calls of a path. Both nodes call open, address, connect and close. Node 0
 * calls ping and stream while node 1 calls pong and drain.
 */
struct path_ops {
	const char *name;
	bool messages; /* is measured with latency and, if it streams, rate */
	bool payloads; /* is measured with throughput */
	bool notes;    /* sends only notes; the receiver reads the payloads */
	size_t longest; /* bytes of its longest message; 0: of any length */
	size_t bytes;  /* of the path's struct, zeros but for the common part */

	/*
	 * open: listens on opening->port only; STN_IN_USE if it is taken. On
	 * failure @why says what is missing, and the path is left out. close:
	 * also after open has failed. address: fills in this end's
	 * address and returns its bytes, 0 on failure. connect: to the other
	 * end's address.
	 */
	enum stn_err (*open)(struct path *path,
			     const struct path_opening *opening,
			     struct stn_why *why);
	void (*close)(struct path *path);
	path_address *address;
	size_t address_bytes; /* 0: any number */
	path_connect *connect;

	/* One round trip: node 1 answers with a message of the same size. */
	path_message *ping, *pong;

	/*
	 * @count messages one way. Both calls return when all messages are in
	 * node 1's memory and node 0 knows it. NULL: the path has no streams.
	 */
	path_messages *stream, *drain;
};

/* path_warm: number of untimed messages before a timed stream of @count. */
static inline size_t
path_warm(size_t count)
{
	return count < PATH_WINDOW ? count : PATH_WINDOW;
}

/* path_byte: the byte at offset @at of each message of node @rank; never 0. */
static inline char
path_byte(uint32_t rank, size_t at)
{
	return (char)(1 + at % 61 + (rank ? 64 : 0));
}

/*
 * path_init: fills in the common part and allocates memory for the messages.
 * path_fini: frees that memory.
 */
STN_CHECKED enum stn_err path_init(struct path *path,
				   const struct path_ops *ops,
				   const struct path_opening *opening,
				   struct stn_why *why);
void path_fini(struct path *path);

/*
 * path_open: makes a path and opens it, on the first free port if there is a
 * range of them. path_close: closes and frees it.
 * path_join: connects it to the other end's address.
 */
STN_CHECKED enum stn_err path_open(const struct path_ops *ops,
				   const struct path_opening *opening,
				   struct path **path_p, struct stn_why *why);
void path_close(struct path *path);
STN_CHECKED enum stn_err path_join(struct path *path,
				   const unsigned char *address, size_t bytes,
				   struct stn_why *why);

/* path_begin: the peer's time to answer, 60 s, starts now. */
void path_begin(struct path *path);

/*
 * path_advance: to be called whenever a message, or a part of one, has been
 * sent or received. path_look then starts the peer's time anew, because reading
 * the clock here would be measured.
 */
static inline void
path_advance(struct path *path)
{
	path->advanced = true;
}

/* path_fail: ends the run on both nodes with this line. */
_Noreturn void path_fail(struct path *path, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* path_look: calls path_fail if the peer's time is up. */
void path_look(struct path *path);

/*
 * path_spin: to be called in each iteration of a waiting loop. Yields now and
 * then, if the path is relayed, as node/progress.c does.
 */
static inline void
path_spin(struct path *path)
{
	if (path->relayed && !(path->spins % PATH_SPINS))
		sched_yield();
	if (!(++path->spins & (path->relayed ? 0xfff : 0xfffff)))
		path_look(path);
}

#endif
