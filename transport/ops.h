/*
 * ops.h: what a backend is. One file with one constant table of these calls.
 *
 * The calls of transport.h say what each must do; this file says only what a
 * backend must know besides. A backend's endpoint begins with a struct
 * stn_transport. Members marked optional may be NULL; stn_transport_open
 * checks the others.
 */
#ifndef STN_TRANSPORT_OPS_H
#define STN_TRANSPORT_OPS_H

#include "transport/identity.h"
#include "transport/transport.h"

struct stn_transport {
	const struct stn_transport_ops *ops;
	struct stn_limits limits;     /* filled in by open */
	struct stn_traffic traffic;   /* counted by the backend */
	struct stn_transport *inner;  /* that this one wraps, or NULL */
	struct stn_transport *beside; /* the next that it wraps, or NULL */
	struct stn_transport *outer;  /* that wraps this one, or NULL */
	struct stn_peers *peers;      /* stn_transport_open's; NULL: inner's */
	unsigned char identity[STN_IDENTITY_BYTES]; /* if it has peers */
};

/* Which peers a transport leads to, where others are beside it. */
enum stn_reach {
	STN_REACH_CLUSTER, /* those of its own cluster */
	STN_REACH_HOST,	   /* of its own cluster and host */
	STN_REACH_ALL
};

/* An arrived message. Backends extend it with what take and refuse need. */
struct stn_arrival {
	struct stn_message message; /* what the handler is shown */
	const void *payload;	    /* NULL if it was offered */
};

struct stn_transport_ops {
	const char *name;

	/* One line for people: what it runs on. */
	const char *help;

	/*
	 * Opens an endpoint and fills in its limits. The handler may be called
	 * only from progress.
	 */
	enum stn_err (*open)(const struct stn_opening *opening,
			     struct stn_transport **transport_p,
			     struct stn_why *why);

	void (*close)(struct stn_transport *transport, uint64_t patience_ns);

	size_t (*address)(struct stn_transport *transport,
			  unsigned char address[STN_ADDRESS_BYTES]);

	enum stn_err (*connect)(struct stn_transport *transport, uint32_t rank,
				const unsigned char *address, size_t bytes,
				struct stn_why *why);

	/*
	 * Sends a message of at most limits.eager_bytes. If the fabric can't
	 * take it now, the backend queues it, in order; the header must be
	 * copied then if there is no @done, else it stays where it is. @done
	 * may be called before this returns, and must be, sooner or later,
	 * exactly once.
	 */
	void (*send)(struct stn_transport *transport, uint32_t to, uint8_t kind,
		     const void *header, size_t header_bytes,
		     const struct iovec *pieces, size_t count, stn_done *done,
		     void *arg);

	/*
	 * As send, for any size: only the header travels; the receiver pulls
	 * the payload, or refuses it. @done is called when it has.
	 */
	void (*offer)(struct stn_transport *transport, uint32_t to,
		      uint8_t kind, const void *header, size_t header_bytes,
		      const struct iovec *pieces, size_t count, stn_done *done,
		      void *arg);

	/*
	 * Pulls an offered payload, from a node that was connected to; called
	 * inside the handler.
	 */
	void (*pull)(struct stn_transport *transport,
		     const struct stn_arrival *arrival,
		     const struct iovec *pieces, size_t count, stn_done *done,
		     void *arg);

	/*
	 * Lets the sender know that an offer won't be pulled. If the sender is
	 * dead, or was never connected to, it is let know if that is possible;
	 * nothing is kept for it.
	 */
	void (*refuse)(struct stn_transport *transport,
		       const struct stn_arrival *arrival);

	/*
	 * A peer is dead: ends every operation towards it, and every pull from
	 * it, with STN_LOST, now or as soon as the fabric lets go of the
	 * memory; and frees what was kept for it. Called once for a peer, and
	 * not from inside a handler or an end. A backend that notices a death
	 * itself calls stn_peers_lost (transport/peers.h), which calls this
	 * from the end of stn_transport_progress.
	 */
	void (*peer_del)(struct stn_transport *transport, uint32_t rank);

	unsigned (*progress)(struct stn_transport *transport);

	/* As stn_transport_arm. */
	uint64_t (*arm)(struct stn_transport *transport);

	/* Optional: as stn_transport_disarm. */
	void (*disarm)(struct stn_transport *transport);

	/* As stn_transport_waits. */
	bool (*waits)(const struct stn_transport *transport);

	uint64_t (*now)(const struct stn_transport *transport);

	/*
	 * Optional, of a transport that wraps several: which of them leads to
	 * node @rank, to which all that concerns this node is then given. NULL:
	 * that one is closed.
	 */
	struct stn_transport *(*route)(struct stn_transport *transport,
				       uint32_t rank);

	enum stn_reach reach;

	/*
	 * An endpoint can't close safely while it still answers a peer that
	 * connects to it: stn_transport_settle must be asked before.
	 */
	bool settles;

	/*
	 * It delays messages between clusters itself, and its peers don't die:
	 * nothing is put around it.
	 */
	bool alone;

	/*
	 * Optional: can it be used here, with this provider, by so many nodes?
	 * Loads its library, opens nothing. NULL: it always can.
	 */
	enum stn_err (*present)(const char *provider, uint32_t nodes,
				struct stn_why *why);

	/* Optional: removes what a dead endpoint left on this host. */
	void (*sweep)(const unsigned char *address, size_t bytes);

	/*
	 * Optional: writes lines on what can be used on this machine, by
	 * stn_transport_describe for each provider.
	 */
	void (*list)(FILE *out);
};

/* stn_transport_find: the backend of this name, or NULL. */
const struct stn_transport_ops *stn_transport_find(const char *name);

/*
 * stn_transport_open_watched: opens a backend, with a watch over its peers
 * before it.
 */
STN_CHECKED enum stn_err stn_transport_open_watched(
	const struct stn_transport_ops *ops, const struct stn_opening *opening,
	struct stn_transport **transport_p, struct stn_why *why);

/*
 * stn_transport_describe: a line on what an endpoint on @provider, or on a
 * @device of its, can do; or why there can be none. Opens one.
 */
void stn_transport_describe(const struct stn_transport_ops *ops,
			    const char *provider, const char *device,
			    FILE *out);

extern const struct stn_transport_ops stn_transport_loop;
extern const struct stn_transport_ops stn_transport_shm;
extern const struct stn_transport_ops stn_transport_far;
extern const struct stn_transport_ops stn_transport_ofi;
extern const struct stn_transport_ops stn_transport_ucx;
extern const struct stn_transport_ops stn_transport_verbs;

/* In emul/sim_net.c. */
extern const struct stn_transport_ops stn_transport_sim;

/*
 * stn_delay_wrap: an endpoint that passes everything to @inner, which it owns
 * from then on, and holds messages to other clusters until they are due.
 * In emul/delay.c, where the delays are defined.
 */
enum stn_err stn_delay_wrap(struct stn_transport *inner,
			    const struct stn_opening *opening,
			    struct stn_transport **transport_p,
			    struct stn_why *why);

/* stn_machine_now: the machine's monotonic clock, common to its processes. */
uint64_t stn_machine_now(const struct stn_transport *transport);

#endif
