#include "launch/gateway/switch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/* Checks for nodes that don't read, in the silence that is allowed. */
#define CHECKS 16
#define TURNS 16 /* writes to a port before other ports have a turn */

enum stn_err
stn_switch_init(struct stn_switch *hub, const struct stn_switch_calls *calls,
		void *arg, uint32_t mine, uint32_t clusters)
{
	*hub = (struct stn_switch){
		.calls = calls,
		.arg = arg,
		.mine = mine,
		.clusters = clusters,
	};
	hub->first = calloc(clusters + 1, sizeof(hub->first[0]));
	hub->trunks = calloc(clusters, sizeof(hub->trunks[0]));
	if (hub->first && hub->trunks)
		return STN_OK;
	stn_switch_fini(hub);
	return STN_NO_MEMORY;
}

enum stn_err
stn_switch_set_layout(struct stn_switch *hub, const uint32_t *first)
{
	size_t nodes = first[hub->mine + 1] - first[hub->mine];

	hub->cells = nodes * hub->clusters;
	hub->nodes = calloc(hub->cells, sizeof(hub->nodes[0]));
	if (!hub->nodes)
		return STN_NO_MEMORY;
	memcpy(hub->first, first, (hub->clusters + 1) * sizeof(first[0]));
	return STN_OK;
}

void
stn_switch_set_mine(struct stn_switch *hub, uint32_t mine)
{
	hub->mine = mine;
}

void
stn_switch_fini(struct stn_switch *hub)
{
	free(hub->first);
	free(hub->trunks);
	free(hub->nodes);
	hub->first = NULL;
	hub->trunks = hub->nodes = NULL;
}

static bool
is_of(const struct stn_switch *hub, uint32_t rank, uint32_t cluster)
{
	return rank >= hub->first[cluster] && rank < hub->first[cluster + 1];
}

/* Where the pointer to the port of our node @rank to @cluster is kept. */
static struct stn_port **
node_cell(struct stn_switch *hub, uint32_t rank, uint32_t cluster)
{
	return &hub->nodes[(size_t)(rank - hub->first[hub->mine]) *
				   hub->clusters +
			   cluster];
}

static struct stn_port **
switch_cell_of(struct stn_switch *hub, const struct stn_port *port)
{
	if (port->cluster >= hub->clusters)
		return NULL;
	if (port->trunk)
		return port->cluster == hub->mine ? NULL
						  : &hub->trunks[port->cluster];
	return is_of(hub, port->rank, hub->mine)
		       ? node_cell(hub, port->rank, port->cluster)
		       : NULL;
}

/* False once the port is removed or lost: then it is its owner's again. */
static bool
switch_has(struct stn_switch *hub, const struct stn_port *port)
{
	return *switch_cell_of(hub, port) == port;
}

static void
watch_port_events(struct stn_switch *hub, struct stn_port *port)
{
	uint32_t events = (port->blocked_by ? 0 : EPOLLIN) |
			  (stn_stream_unsent(&port->stream) ? EPOLLOUT : 0);

	if (events == port->events)
		return;
	port->events = events;
	hub->calls->watch(hub->arg, port, events);
}

enum stn_err
stn_switch_add(struct stn_switch *hub, struct stn_port *port)
{
	struct stn_port **cell = switch_cell_of(hub, port);

	if (!cell)
		return STN_INVALID;
	if (*cell)
		return STN_IN_USE;
	*cell = port;
	TAILQ_INIT(&port->waiting);
	port->events = 0;
	watch_port_events(hub, port);
	return STN_OK;
}

static void
block_port(struct stn_port *port, struct stn_port *to)
{
	port->blocked_by = to;
	TAILQ_INSERT_TAIL(&to->waiting, port, waiting_entry);
}

static void
unblock_port(struct stn_port *port)
{
	TAILQ_REMOVE(&port->blocked_by->waiting, port, waiting_entry);
	port->blocked_by = NULL;
}

static void
mark_dirty(struct stn_switch *hub, struct stn_port *port)
{
	if (port->dirty)
		return;
	port->dirty = true;
	LIST_INSERT_HEAD(&hub->dirty, port, dirty_entry);
}

static void
unmark_dirty(struct stn_port *port)
{
	if (port->dirty)
		LIST_REMOVE(port, dirty_entry);
	port->dirty = false;
}

static void read_and_forward(struct stn_switch *hub, struct stn_port *port);

void
stn_switch_remove(struct stn_switch *hub, struct stn_port *port)
{
	struct stn_port **cell = switch_cell_of(hub, port), *next;

	if (!cell || *cell != port)
		return;
	*cell = NULL;
	if (port->blocked_by)
		unblock_port(port);
	unmark_dirty(port);
	/*
	 * Segments that waited for this port now have no destination and are
	 * dropped.
	 */
	while ((next = TAILQ_FIRST(&port->waiting))) {
		unblock_port(next);
		read_and_forward(hub, next);
		if (switch_has(hub, next))
			watch_port_events(hub, next);
	}
}

static void
lose_port(struct stn_switch *hub, struct stn_port *port, const char *how)
{
	stn_switch_remove(hub, port);
	hub->calls->lost(hub->arg, port, how);
}

/* Is this port's other end entitled to this sender and this receiver? */
static bool
is_permitted(const struct stn_switch *hub, const struct stn_port *port,
	     const struct stn_segment *segment)
{
	if (port->trunk)
		return segment->to == STN_SEGMENT_GATEWAY ||
		       (is_of(hub, segment->from, port->cluster) &&
			is_of(hub, segment->to, hub->mine) &&
			segment->type < STN_SEGMENT_TYPES);
	return segment->from == port->rank &&
	       is_of(hub, segment->to, port->cluster) &&
	       segment->type < STN_SEGMENT_LOST;
}

/* The port to forward to; NULL if it is gone. */
static struct stn_port *
destination_of(struct stn_switch *hub, const struct stn_port *port,
	       const struct stn_segment *segment)
{
	if (port->trunk || port->cluster == hub->mine)
		return *node_cell(hub, segment->to, port->cluster);
	return hub->trunks[port->cluster];
}

/* The next segment of a port, and its destination. */
struct peeked {
	const unsigned char *at;
	size_t bytes;
	struct stn_segment segment;
	struct stn_port *to; /* NULL: for the gateway, or the port is gone */
};

enum peek { PEEK_WHOLE, PEEK_PARTIAL, PEEK_MALFORMED };

/* Looks at the segment @offset bytes behind the first unread byte. */
static enum peek
peek_segment(struct stn_switch *hub, struct stn_port *port, size_t offset,
	     struct peeked *next)
{
	size_t there = stn_stream_input_bytes(&port->stream) - offset;

	if (there < STN_SEGMENT_HEAD)
		return PEEK_PARTIAL;
	next->at = stn_stream_input(&port->stream) + offset;
	if (stn_segment_read(next->at, &next->segment) ||
	    !is_permitted(hub, port, &next->segment))
		return PEEK_MALFORMED;
	next->bytes = STN_SEGMENT_HEAD + next->segment.bytes;
	if (there < next->bytes)
		return PEEK_PARTIAL;
	next->to = next->segment.to == STN_SEGMENT_GATEWAY
			   ? NULL
			   : destination_of(hub, port, &next->segment);
	return PEEK_WHOLE;
}

/*
 * Forwards all consecutive segments for the same destination, which has nothing
 * unsent. Many bytes are written from the input buffer; few are put, to leave
 * together with other ports' segments.
 */
static size_t
forward_run(struct stn_switch *hub, struct stn_port *port,
	    const struct peeked *first)
{
	struct stn_stream *stream = &first->to->stream;
	size_t bytes = first->bytes, written = 0;
	struct peeked next;

	while (peek_segment(hub, port, bytes, &next) == PEEK_WHOLE &&
	       next.to == first->to)
		bytes += next.bytes;
	if (bytes >= STN_SEGMENT_BYTES)
		written = stn_stream_write(stream, first->at, bytes);
	stn_stream_put(stream, first->at + written, bytes - written);
	return bytes;
}

/* Forwards one segment or several. Returns false if there is no room. */
static bool
forward_segment(struct stn_switch *hub, struct stn_port *port,
		const struct peeked *next)
{
	struct stn_port *to = next->to;
	size_t bytes = next->bytes;

	if (to &&
	    (!TAILQ_EMPTY(&to->waiting) || !stn_stream_has_room(&to->stream))) {
		block_port(port, to);
		return false;
	}
	if (to && stn_stream_unsent(&to->stream))
		stn_stream_put(&to->stream, next->at, bytes);
	else if (to)
		bytes = forward_run(hub, port, next);
	if (to)
		mark_dirty(hub, to);
	stn_stream_consume(&port->stream, bytes);
	return true;
}

/*
 * Forwards what a port has read, until there is no complete segment or no room.
 * The owner may remove the port because of a segment to the gateway itself.
 * Returns false if a segment is malformed.
 */
static bool
forward_read(struct stn_switch *hub, struct stn_port *port)
{
	struct peeked next;
	enum peek result;

	while ((result = peek_segment(hub, port, 0, &next)) == PEEK_WHOLE) {
		if (next.segment.to == STN_SEGMENT_GATEWAY) {
			stn_stream_consume(&port->stream, next.bytes);
			hub->calls->control(hub->arg, port, &next.segment,
					    next.at + STN_SEGMENT_HEAD);
			if (!switch_has(hub, port))
				return true;
		} else if (!forward_segment(hub, port, &next)) {
			break;
		}
	}
	return result != PEEK_MALFORMED;
}

/* Reads as long as the segments can be forwarded. */
static void
read_and_forward(struct stn_switch *hub, struct stn_port *port)
{
	bool drained = false;

	for (;;) {
		bool came;

		if (!forward_read(hub, port)) {
			lose_port(hub, port, "it has sent an invalid segment");
			return;
		}
		if (port->blocked_by || !switch_has(hub, port))
			return;
		if (drained)
			break;
		came = stn_stream_read(&port->stream);
		port->heard = port->heard || came;
		drained = port->stream.drained;
	}
	if (port->stream.lost)
		lose_port(hub, port, STN_SWITCH_ENDED);
}

/* There is room again: the ports that wait for it take turns. */
static void
serve_blocked(struct stn_switch *hub, struct stn_port *to)
{
	struct stn_port *port;

	while ((port = TAILQ_FIRST(&to->waiting)) &&
	       stn_stream_has_room(&to->stream)) {
		const unsigned char *at = stn_stream_input(&port->stream);
		struct stn_segment segment;

		unblock_port(port);
		if (stn_segment_read(at, &segment))
			continue; /* can't be: it was checked before the port
				     was blocked */
		stn_stream_put(&to->stream, at,
			       STN_SEGMENT_HEAD + segment.bytes);
		stn_stream_consume(&port->stream,
				   STN_SEGMENT_HEAD + segment.bytes);
		read_and_forward(hub, port);
		if (switch_has(hub, port))
			watch_port_events(hub, port);
	}
}

static void
flush_port(struct stn_switch *hub, struct stn_port *port)
{
	unsigned turns = 0;
	bool wrote;

	do {
		size_t before = stn_stream_unsent(&port->stream);

		stn_stream_flush(&port->stream);
		if (port->stream.lost) {
			lose_port(hub, port, STN_SWITCH_ENDED);
			return;
		}
		wrote = stn_stream_unsent(&port->stream) < before;
		if (wrote)
			port->full_since_ns = 0;
		serve_blocked(hub, port);
		/*
		 * Serving another port may have lost that port, and this one
		 * with it.
		 */
		if (!switch_has(hub, port))
			return;
	} while (wrote && stn_stream_unsent(&port->stream) && ++turns < TURNS);
	watch_port_events(hub, port);
}

void
stn_switch_ready(struct stn_switch *hub, struct stn_port *port, uint32_t events)
{
	if (events & EPOLLOUT)
		mark_dirty(hub, port);
	if (events & ~(uint32_t)EPOLLOUT && !port->blocked_by) {
		read_and_forward(hub, port);
		if (switch_has(hub, port))
			watch_port_events(hub, port);
	} else if (events & (EPOLLERR | EPOLLHUP)) {
		lose_port(hub, port, STN_SWITCH_ENDED);
	}
}

void
stn_switch_put(struct stn_switch *hub, struct stn_port *port,
	       const struct stn_segment *segment, const void *data)
{
	unsigned char head[STN_SEGMENT_HEAD];

	stn_segment_write(head, segment);
	stn_stream_put(&port->stream, head, sizeof(head));
	stn_stream_put(&port->stream, data, segment->bytes);
	mark_dirty(hub, port);
}

void
stn_switch_tell_lost(struct stn_switch *hub, uint32_t rank)
{
	uint32_t cluster = 0;

	while (!is_of(hub, rank, cluster))
		cluster++;
	for (uint32_t i = hub->first[hub->mine]; i < hub->first[hub->mine + 1];
	     i++) {
		struct stn_port *port = *node_cell(hub, i, cluster);
		struct stn_segment segment = {
			.to = i,
			.from = rank,
			.type = STN_SEGMENT_LOST,
		};

		if (port && i != rank)
			stn_switch_put(hub, port, &segment, NULL);
	}
}

void
stn_switch_flush(struct stn_switch *hub)
{
	struct stn_port *port;

	while ((port = LIST_FIRST(&hub->dirty))) {
		unmark_dirty(port);
		flush_port(hub, port);
	}
}

/*
 * If this check is late, this process itself was stopped, perhaps with its
 * host: a node may have read meanwhile, and that time doesn't count.
 */
static uint64_t
pause_before(const struct stn_switch *hub, uint64_t now_ns)
{
	uint64_t late_ns = hub->check_ns ? now_ns - hub->check_ns : 0;

	return late_ns > STN_SECOND_NS ? late_ns : 0;
}

void
stn_switch_check_readers(struct stn_switch *hub, uint64_t now_ns,
			 uint64_t silence_ns)
{
	uint64_t pause_ns;

	if (now_ns < hub->check_ns)
		return;
	pause_ns = pause_before(hub, now_ns);
	hub->check_ns = now_ns + silence_ns / CHECKS;
	for (size_t i = 0; i < hub->cells; i++) {
		struct stn_port *port = hub->nodes[i];

		if (!port || !stn_stream_unsent(&port->stream))
			continue;
		if (!port->full_since_ns)
			port->full_since_ns = now_ns;
		else
			port->full_since_ns += pause_ns;
		if (now_ns - port->full_since_ns > silence_ns)
			lose_port(hub, port,
				  "it has not read what was sent to it for too "
				  "long");
	}
}
