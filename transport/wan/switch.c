#include "transport/wan/switch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define LOOKS 16 /* for who doesn't read, in the silence that is allowed */
#define TURNS 16 /* of writing to a port, before others are looked at */

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
stn_switch_plan(struct stn_switch *hub, const uint32_t *first)
{
	size_t nodes = first[hub->mine + 1] - first[hub->mine];

	hub->nodes = calloc(nodes * hub->clusters, sizeof(hub->nodes[0]));
	if (!hub->nodes)
		return STN_NO_MEMORY;
	memcpy(hub->first, first, (hub->clusters + 1) * sizeof(first[0]));
	return STN_OK;
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
is_ours(const struct stn_switch *hub, uint32_t rank)
{
	return rank >= hub->first[hub->mine] &&
	       rank < hub->first[hub->mine + 1];
}

static bool
is_of(const struct stn_switch *hub, uint32_t rank, uint32_t cluster)
{
	return rank >= hub->first[cluster] && rank < hub->first[cluster + 1];
}

/* The place of a port of node @rank of ours. */
static struct stn_port **
node_place(struct stn_switch *hub, uint32_t rank, uint32_t cluster)
{
	return &hub->nodes[(size_t)(rank - hub->first[hub->mine]) *
				   hub->clusters +
			   cluster];
}

static struct stn_port **
place_of(struct stn_switch *hub, const struct stn_port *port)
{
	if (port->cluster >= hub->clusters)
		return NULL;
	if (port->trunk)
		return port->cluster == hub->mine ? NULL
						  : &hub->trunks[port->cluster];
	return is_ours(hub, port->rank)
		       ? node_place(hub, port->rank, port->cluster)
		       : NULL;
}

static void
watch(struct stn_switch *hub, struct stn_port *port)
{
	uint32_t events = (port->waits ? 0 : EPOLLIN) |
			  (stn_line_waiting(&port->line) ? EPOLLOUT : 0);

	if (events == port->events)
		return;
	port->events = events;
	hub->calls->watch(hub->arg, port, events);
}

enum stn_err
stn_switch_add(struct stn_switch *hub, struct stn_port *port)
{
	struct stn_port **place = place_of(hub, port);

	if (!place)
		return STN_INVALID;
	if (*place)
		return STN_IN_USE;
	*place = port;
	port->last_waiting = &port->waiting;
	port->events = 0;
	watch(hub, port);
	return STN_OK;
}

static void
await_room(struct stn_port *port, struct stn_port *to)
{
	port->waits = true;
	port->next_waiting = NULL;
	*to->last_waiting = port;
	to->last_waiting = &port->next_waiting;
}

static struct stn_port *
next_waiting(struct stn_port *to)
{
	struct stn_port *port = to->waiting;

	to->waiting = port->next_waiting;
	if (!to->waiting)
		to->last_waiting = &to->waiting;
	port->waits = false;
	return port;
}

static void
soil(struct stn_switch *hub, struct stn_port *port)
{
	if (port->dirty)
		return;
	port->dirty = true;
	port->next_dirty = hub->dirty;
	hub->dirty = port;
}

static void
stop_waiting(struct stn_switch *hub, struct stn_port *port, struct stn_port *to)
{
	(void)hub;
	for (struct stn_port **at = &to->waiting; *at;) {
		if (*at != port) {
			at = &(*at)->next_waiting;
			continue;
		}
		*at = port->next_waiting;
		if (!*at)
			to->last_waiting = at;
	}
}

/* Calls @visit for each port there is. */
static void
visit_all(struct stn_switch *hub, struct stn_port *port,
	  void (*visit)(struct stn_switch *, struct stn_port *,
			struct stn_port *))
{
	size_t nodes = hub->first[hub->mine + 1] - hub->first[hub->mine];

	for (size_t i = 0; i < nodes * hub->clusters; i++)
		if (hub->nodes[i])
			visit(hub, port, hub->nodes[i]);
	for (size_t i = 0; i < hub->clusters; i++)
		if (hub->trunks[i])
			visit(hub, port, hub->trunks[i]);
}

static void pass_on(struct stn_switch *hub, struct stn_port *port);

void
stn_switch_remove(struct stn_switch *hub, struct stn_port *port)
{
	struct stn_port **place = place_of(hub, port);

	if (!place || *place != port)
		return;
	*place = NULL;
	if (port->waits)
		visit_all(hub, port, stop_waiting);
	for (struct stn_port **at = &hub->dirty; *at; at = &(*at)->next_dirty)
		if (*at == port) {
			*at = port->next_dirty;
			break;
		}
	port->dirty = false;
	/* What waited for it finds nobody there, and is dropped. */
	while (port->waiting) {
		struct stn_port *next = next_waiting(port);

		pass_on(hub, next);
		watch(hub, next);
	}
}

static void
lose(struct stn_switch *hub, struct stn_port *port, const char *how)
{
	stn_switch_remove(hub, port);
	hub->calls->lost(hub->arg, port, how);
}

/* May what this port sends come from there, and go there? */
static bool
is_lawful(const struct stn_switch *hub, const struct stn_port *port,
	  const struct stn_segment *segment)
{
	if (port->trunk)
		return segment->to == STN_SEGMENT_GATEWAY ||
		       (is_of(hub, segment->from, port->cluster) &&
			is_ours(hub, segment->to) &&
			segment->type < STN_SEGMENT_TYPES);
	return segment->from == port->rank &&
	       is_of(hub, segment->to, port->cluster) &&
	       segment->type < STN_SEGMENT_LOST;
}

/* Where it goes; NULL if nobody is there. */
static struct stn_port *
find_way(struct stn_switch *hub, const struct stn_port *port,
	 const struct stn_segment *segment)
{
	if (port->trunk || port->cluster == hub->mine)
		return *node_place(hub, segment->to, port->cluster);
	return hub->trunks[port->cluster];
}

/* The next segment of a port, and where it goes. */
struct passenger {
	const unsigned char *at;
	size_t bytes;
	struct stn_segment segment;
	struct stn_port *to; /* NULL: to us, or nobody is there */
};

enum next { NEXT_COMES, NEXT_NONE, NEXT_NONSENSE };

/* Looks at what stands @offset bytes behind what a port has read. */
static enum next
look_at(struct stn_switch *hub, struct stn_port *port, size_t offset,
	struct passenger *next)
{
	size_t there = stn_line_there_bytes(&port->line) - offset;

	if (there < STN_SEGMENT_HEAD)
		return NEXT_NONE;
	next->at = stn_line_there(&port->line) + offset;
	if (stn_segment_read(next->at, &next->segment) ||
	    !is_lawful(hub, port, &next->segment))
		return NEXT_NONSENSE;
	next->bytes = STN_SEGMENT_HEAD + next->segment.bytes;
	if (there < next->bytes)
		return NEXT_NONE;
	next->to = next->segment.to == STN_SEGMENT_GATEWAY
			   ? NULL
			   : find_way(hub, port, &next->segment);
	return NEXT_COMES;
}

/*
 * To a port for which nothing waits goes all that stands in a row for it: from
 * where it lies, if it is much; else with what others have for it.
 */
static size_t
pass_row(struct stn_switch *hub, struct stn_port *port,
	 const struct passenger *first)
{
	struct stn_line *line = &first->to->line;
	size_t bytes = first->bytes, written = 0;
	struct passenger next;

	while (look_at(hub, port, bytes, &next) == NEXT_COMES &&
	       next.to == first->to)
		bytes += next.bytes;
	if (bytes >= STN_SEGMENT_BYTES)
		written = stn_line_write(line, first->at, bytes);
	stn_line_put(line, first->at + written, bytes - written);
	return bytes;
}

/* Passes a segment on, or several. False if there is no room. */
static bool
pass(struct stn_switch *hub, struct stn_port *port,
     const struct passenger *next)
{
	struct stn_port *to = next->to;
	size_t bytes = next->bytes;

	if (to && (to->waiting || !stn_line_has_room(&to->line))) {
		await_room(port, to);
		return false;
	}
	if (to && stn_line_waiting(&to->line))
		stn_line_put(&to->line, next->at, bytes);
	else if (to)
		bytes = pass_row(hub, port, next);
	if (to)
		soil(hub, to);
	stn_line_take(&port->line, bytes);
	return true;
}

/*
 * Passes on what a port has read, until that is no whole segment, or there is
 * no room for it. False if it made no sense.
 */
static bool
pass_some(struct stn_switch *hub, struct stn_port *port)
{
	struct passenger next;
	enum next comes;

	while ((comes = look_at(hub, port, 0, &next)) == NEXT_COMES) {
		if (next.segment.to == STN_SEGMENT_GATEWAY) {
			stn_line_take(&port->line, next.bytes);
			hub->calls->control(hub->arg, port, &next.segment,
					    next.at + STN_SEGMENT_HEAD);
		} else if (!pass(hub, port, &next)) {
			break;
		}
	}
	return comes != NEXT_NONSENSE;
}

/* Reads as long as what was read could be passed on. */
static void
pass_on(struct stn_switch *hub, struct stn_port *port)
{
	bool dry = false;

	for (;;) {
		bool came;

		if (!pass_some(hub, port)) {
			lose(hub, port, "what it sends makes no sense");
			return;
		}
		if (port->waits)
			return;
		if (dry)
			break;
		came = stn_line_read(&port->line);
		port->heard = port->heard || came;
		dry = port->line.dry;
	}
	if (port->line.lost)
		lose(hub, port, STN_SWITCH_ENDED);
}

/* There is room again: those who wait for it take turns. */
static void
serve(struct stn_switch *hub, struct stn_port *to)
{
	while (to->waiting && stn_line_has_room(&to->line)) {
		struct stn_port *port = next_waiting(to);
		const unsigned char *at = stn_line_there(&port->line);
		struct stn_segment segment;

		if (stn_segment_read(at, &segment))
			continue; /* it was looked at before it waited */
		stn_line_put(&to->line, at, STN_SEGMENT_HEAD + segment.bytes);
		stn_line_take(&port->line, STN_SEGMENT_HEAD + segment.bytes);
		pass_on(hub, port);
		/* Unless it is lost, and its owner's. */
		if (*place_of(hub, port) == port)
			watch(hub, port);
	}
}

static void
flush(struct stn_switch *hub, struct stn_port *port)
{
	unsigned turns = 0;
	bool wrote;

	do {
		size_t before = stn_line_waiting(&port->line);

		stn_line_flush(&port->line);
		if (port->line.lost) {
			lose(hub, port, STN_SWITCH_ENDED);
			return;
		}
		wrote = stn_line_waiting(&port->line) < before;
		if (wrote)
			port->full_since_ns = 0;
		serve(hub, port);
		/* Who was served may be lost, and this one with it. */
		if (*place_of(hub, port) != port)
			return;
	} while (wrote && stn_line_waiting(&port->line) && ++turns < TURNS);
	watch(hub, port);
}

void
stn_switch_ready(struct stn_switch *hub, struct stn_port *port, uint32_t events)
{
	if (events & EPOLLOUT)
		soil(hub, port);
	if (events & ~(uint32_t)EPOLLOUT && !port->waits) {
		pass_on(hub, port);
		if (*place_of(hub, port) == port)
			watch(hub, port);
	} else if (events & (EPOLLERR | EPOLLHUP)) {
		lose(hub, port, STN_SWITCH_ENDED);
	}
}

void
stn_switch_put(struct stn_switch *hub, struct stn_port *port,
	       const struct stn_segment *segment, const void *data)
{
	unsigned char head[STN_SEGMENT_HEAD];

	stn_segment_write(head, segment);
	stn_line_put(&port->line, head, sizeof(head));
	stn_line_put(&port->line, data, segment->bytes);
	soil(hub, port);
}

void
stn_switch_tell_lost(struct stn_switch *hub, uint32_t rank)
{
	uint32_t cluster = 0;

	while (!is_of(hub, rank, cluster))
		cluster++;
	for (uint32_t i = hub->first[hub->mine]; i < hub->first[hub->mine + 1];
	     i++) {
		struct stn_port *port = *node_place(hub, i, cluster);
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

	while ((port = hub->dirty)) {
		hub->dirty = port->next_dirty;
		port->dirty = false;
		flush(hub, port);
	}
}

void
stn_switch_look(struct stn_switch *hub, uint64_t now_ns, uint64_t silence_ns)
{
	size_t nodes = hub->first[hub->mine + 1] - hub->first[hub->mine];

	if (now_ns < hub->look_ns)
		return;
	hub->look_ns = now_ns + silence_ns / LOOKS;
	for (size_t i = 0; i < nodes * hub->clusters; i++) {
		struct stn_port *port = hub->nodes[i];

		if (!port || !stn_line_waiting(&port->line))
			continue;
		if (!port->full_since_ns)
			port->full_since_ns = now_ns;
		else if (now_ns - port->full_since_ns > silence_ns)
			lose(hub, port,
			     "it has not read for too long what was sent to "
			     "it");
	}
}
