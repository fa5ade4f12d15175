#include "launch/wireup/wireup_far.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "transport/far/uplink.h"
#include "launch/end.h"
#include "launch/wireup/wireup_ops.h"
#include "launch/wireup/wireup_socket.h"

struct far_wireup {
	struct stn_wireup base;
	struct stn_wireup *own, *all;
	uint32_t rank;	    /* in the cluster */
	uint32_t first;	    /* rank in the run of the cluster's first node */
	uint32_t own_nodes; /* number of the cluster's nodes */
	bool watched;	    /* views come, so the run survives deaths */
	bool over;	    /* the process may exit */
	struct stn_card
		own_cards[]; /* of the cluster's own wire-up; not used */
};

/* The cluster's own launcher also waits for a card of each of its nodes. */
static enum stn_err
far_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
	     size_t size, struct stn_card *cards, struct stn_why *why)
{
	struct far_wireup *far = (struct far_wireup *)wireup;
	enum stn_err err = STN_OK;

	if (far->own)
		err = stn_wireup_exchange(far->own, far->rank, card, size,
					  far->own_cards, why);
	return err ? err
		   : stn_wireup_exchange(far->all, rank, card, size, cards,
					 why);
}

/* Does the cluster's own launcher see to it that the run survives deaths? */
static bool
has_surviving_launcher(const struct far_wireup *far)
{
	return far->own && stn_wireup_survives(far->own);
}

/*
 * PMIx would wait for the cluster's nodes that have left, so in a run that others
 * may leave the barrier of the gateways is enough.
 */
static enum stn_err
far_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct far_wireup *far = (struct far_wireup *)wireup;
	enum stn_err err = stn_wireup_barrier(far->all, why);

	far->over = true;
	if (err || !far->own || (far->watched && !has_surviving_launcher(far)))
		return err;
	return stn_wireup_barrier(far->own, why);
}

/*
 * The launcher kills a node that is missed, and tells the gateway when it has
 * ended. Nodes of other clusters, or without a launcher, are for the gateway.
 */
static void
far_suspect(struct stn_wireup *wireup, uint32_t rank, const char *how)
{
	struct far_wireup *far = (struct far_wireup *)wireup;
	uint32_t in_cluster = rank - far->first;

	if (in_cluster == far->rank)
		stn_end_cut_off(); /* this node has lost the gateway */
	if (rank >= far->first && in_cluster < far->own_nodes &&
	    has_surviving_launcher(far))
		stn_wireup_suspect(far->own, in_cluster, how);
	else
		stn_wireup_suspect(far->all, rank, how);
}

static void
far_applied(struct stn_wireup *wireup, uint32_t view)
{
	stn_wireup_applied(((struct far_wireup *)wireup)->all, view);
}

/*
 * The process ends now. The other launchers count a process that ends without a
 * word, while PMIx is open, as a failure.
 */
static void
far_left(struct stn_wireup *wireup, uint32_t rank)
{
	struct far_wireup *far = (struct far_wireup *)wireup;

	stn_wireup_left(far->all, rank);
	if (has_surviving_launcher(far)) {
		stn_wireup_left(far->own, rank);
	} else if (far->own) {
		stn_wireup_destroy(far->own);
		far->own = NULL;
	}
}

/* The gateway's exit status is its command's. */
static void
far_returned(struct stn_wireup *wireup, int status)
{
	struct far_wireup *far = (struct far_wireup *)wireup;

	if (has_surviving_launcher(far))
		stn_wireup_returned(far->own, status);
}

/* The nodes have their barrier at the gateway. */
static void
far_summary(struct stn_wireup *wireup, uint32_t view, const char *line)
{
	stn_wireup_summary(((struct far_wireup *)wireup)->all, view, line);
}

static enum stn_err
far_watch(struct stn_wireup *wireup, uint32_t rank, stn_wireup_view *view,
	  void *arg, struct stn_why *why)
{
	struct far_wireup *far = (struct far_wireup *)wireup;

	far->watched = true;
	stn_wireup_socket_depend(far->all);
	/* Before the thread starts, as in wireup_socket.c. */
	if (has_surviving_launcher(far))
		stn_wireup_applied(far->own, 0);
	return stn_wireup_watch(far->all, rank, view, arg, why);
}

static void
far_greet(struct stn_wireup *wireup, stn_wireup_meet *meet, void *arg)
{
	stn_wireup_greet(((struct far_wireup *)wireup)->all, meet, arg);
}

/* The gateway tells the user and the other clusters, and ends the launcher. */
static void
far_abort(struct stn_wireup *wireup, const char *text)
{
	struct far_wireup *far = (struct far_wireup *)wireup;

	far->over = true;
	stn_wireup_abort(far->all, text);
}

static void
far_miss(struct stn_wireup *wireup, uint32_t missed, const char *text)
{
	struct far_wireup *far = (struct far_wireup *)wireup;

	far->over = true;
	stn_wireup_miss(far->all, missed, text);
}

/* The program has called exit(): reports that to the other clusters. */
static void
wireup_far_exited(int status, void *arg)
{
	struct far_wireup *far = arg;
	uint32_t rank = far->first + far->rank;
	char text[80];

	if (far->over)
		return;
	fflush(NULL); /* the gateway may end this process before exit() would
			 flush */
	if (rank)
		snprintf(text, sizeof(text),
			 "node %" PRIu32 " left the run early (status %d)",
			 rank, status);
	else
		snprintf(text, sizeof(text), "main has called exit(%d)",
			 status);
	far_abort(&far->base, text);
}

/* The memory is not freed, as wireup_far_exited refers to it. */
static void
far_destroy(struct stn_wireup *wireup)
{
	struct far_wireup *far = (struct far_wireup *)wireup;

	far->over = true;
	stn_wireup_destroy(far->all);
	stn_wireup_destroy(far->own);
}

static const struct stn_wireup_ops far_ops = {
	.destroy = far_destroy,
	.exchange = far_exchange,
	.barrier = far_barrier,
	.suspect = far_suspect,
	.applied = far_applied,
	.left = far_left,
	.returned = far_returned,
	.summary = far_summary,
	.watch = far_watch,
	.greet = far_greet,
	.abort = far_abort,
	.miss = far_miss,
};

static struct far_wireup *
wireup_far_create(struct stn_wireup *own, int fd, uint32_t rank, uint32_t nodes,
		  const struct stn_layout *layout)
{
	struct far_wireup *far =
		calloc(1, sizeof(*far) + nodes * sizeof(far->own_cards[0]));

	if (!far)
		return NULL;
	far->rank = rank;
	far->first = layout->first[layout->mine];
	far->base = (struct stn_wireup){ &far_ops, layout->nodes, 0, 0 };
	if (far->first > layout->reserved) {
		far->base.reserved = layout->reserved;
		far->base.skipped = far->first - layout->reserved;
	}
	far->own_nodes = nodes;
	far->own = own;
	far->all = stn_wireup_socket_joins(
		fd, layout->nodes, layout->first[layout->clusters], false);
	if (far->all)
		return far;
	free(far);
	return NULL;
}

enum stn_err
stn_wireup_far(struct stn_wireup *own, uint32_t rank, uint32_t nodes,
	       uint64_t silence_ns, struct stn_layout *layout,
	       struct stn_wireup **wireup_p, struct stn_why *why)
{
	const char *text = getenv(STN_GATEWAY);
	struct far_wireup *far;
	struct stn_uplink uplink;
	enum stn_err err;
	int fd;

	err = stn_uplink_read(text ? text : "", &uplink, why);
	uplink.silence_ns = silence_ns;
	if (!err)
		err = stn_uplink_open_control(&uplink, rank, nodes, layout, &fd,
					      why);
	if (err)
		return err;
	far = wireup_far_create(own, fd, rank, nodes, layout);
	if (!far) {
		close(fd);
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	}
	if (on_exit(wireup_far_exited, far))
		far->over = true; /* an exit() will then be reported as the
				     node's death */
	*wireup_p = &far->base;
	return STN_OK;
}
