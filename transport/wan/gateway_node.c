/*
 * gateway_node.c: what the cluster's own nodes say. To them the gateway is a
 * launcher, which deals the cards of all clusters.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/wan/gateway_own.h"

#define NODES_MOST 100000

static void
let_go(struct news *news)
{
	if (news && !--news->holders)
		free(news);
}

/* From where it lies: many nodes are told of as many nodes. */
static void
tell_news(struct member *member)
{
	const struct news *news = member->news;

	while (member->told < news->size) {
		ssize_t sent = send(member->line.fd, news->bytes + member->told,
				    news->size - member->told, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < 0)
			break; /* its end will be seen */
		member->told += (size_t)sent;
	}
	let_go(member->news);
	member->news = NULL;
}

static void
watch_member(struct gateway *gateway, struct member *member)
{
	uint32_t events = EPOLLIN;

	stn_line_flush(&member->line);
	if (member->news && !stn_line_waiting(&member->line))
		tell_news(member);
	if (member->news || stn_line_waiting(&member->line))
		events |= EPOLLOUT;
	if (member->line.fd < 0 || events == member->events)
		return;
	member->events = events;
	gateway_rewatch(gateway, &member->watch, member->line.fd, events);
}

/* The rank in the run, once that is known. */
static uint32_t
rank_of(const struct gateway *gateway, const struct member *member)
{
	return member->rank +
	       (gateway->planned ? gateway->hub.first[gateway->mine] : 0);
}

/* Nodes answer each: whoever has not been told the last is none of ours. */
static void
tell_member(struct gateway *gateway, struct member *member, struct news *news)
{
	if (member->news)
		return;
	member->news = news;
	member->told = 0;
	news->holders++;
	watch_member(gateway, member);
}

/* A frame whose body is to be filled in; ours until it is spread. */
static struct news *
make_news(enum stn_frame_type type, size_t size)
{
	struct stn_frame_head head = { type, (uint32_t)size };
	struct news *news = malloc(sizeof(*news) + sizeof(head) + size);

	if (!news)
		return NULL;
	*news = (struct news){ .holders = 1, .size = sizeof(head) + size };
	memcpy(news->bytes, &head, sizeof(head));
	return news;
}

static void
spread(struct gateway *gateway, struct news *news)
{
	for (uint32_t i = 0; i < gateway->size; i++)
		if (gateway->members[i])
			tell_member(gateway, gateway->members[i], news);
	let_go(news);
}

/*
 * What the wire-up server would tell its nodes, that goes for this cluster:
 * they are told when it goes for all.
 */
static void
tell_all(void *arg, enum stn_frame_type type, const void *body, size_t size)
{
	struct gateway *gateway = arg;
	struct party *party = &gateway->parties[gateway->mine];

	if (type == STN_FRAME_CARDS) {
		gateway_tell(gateway, STN_TRUNK_CARDS, body, size);
		if (!gateway_pile(&party->cards, body, size)) {
			gateway_fail(gateway, "out of memory");
			return;
		}
		party->cards.whole = true;
		gateway_deal(gateway);
	} else if (type == STN_FRAME_GO) {
		gateway_tell(gateway, STN_TRUNK_ARRIVED, NULL, 0);
		party->arrived = true;
		gateway_go(gateway);
	}
}

bool
gateway_pile(struct pile *pile, const void *bytes, size_t size)
{
	unsigned char *all = realloc(pile->bytes, pile->size + size + 1);

	if (!all)
		return false;
	memcpy(all + pile->size, bytes, size);
	pile->bytes = all;
	pile->size += size;
	return true;
}

/* Takes the round's cards of a cluster; the next round's take their place. */
static unsigned char *
take_pile(struct party *party, unsigned char *at)
{
	at = mempcpy(at, party->cards.bytes, party->cards.size);
	free(party->cards.bytes);
	party->cards = party->next;
	party->next = (struct pile){ .bytes = NULL };
	return at;
}

void
gateway_deal(struct gateway *gateway)
{
	struct news *news;
	unsigned char *at;
	size_t size = 0;

	for (uint32_t i = 0; i < gateway->known; i++) {
		if (!gateway->parties[i].cards.whole)
			return;
		size += gateway->parties[i].cards.size;
	}
	news = make_news(STN_FRAME_CARDS, size);
	if (!news) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	at = news->bytes + sizeof(struct stn_frame_head);
	for (uint32_t i = 0; i < gateway->known; i++)
		at = take_pile(&gateway->parties[i], at);
	spread(gateway, news);
}

void
gateway_go(struct gateway *gateway)
{
	struct news *news;

	for (uint32_t i = 0; i < gateway->known; i++)
		if (!gateway->parties[i].arrived)
			return;
	news = make_news(STN_FRAME_GO, 0);
	if (!news) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	gateway->over = true;
	spread(gateway, news);
}

static void
member_lost(struct gateway *gateway, struct member *member)
{
	gateway->members[member->rank] = NULL;
	let_go(member->news);
	stn_frame_drop(&member->frame);
	stn_line_fini(&member->line);
	gateway_bury(gateway, &member->watch);
	if (!member->gave_up)
		gateway_doubt_node(gateway, rank_of(gateway, member),
				   member->rank);
}

/* Whoever misses another knows less than who says what is wrong. */
static void
take_miss(struct gateway *gateway, struct member *member)
{
	struct stn_why why;
	uint32_t missed = stn_frame_missed(&member->frame, &why);

	member->gave_up = true;
	gateway_doubt_missed(gateway, rank_of(gateway, member), missed,
			     why.text);
}

static void
take_frame(struct gateway *gateway, struct member *member)
{
	struct stn_wireup_server *server = &gateway->server;
	enum stn_err err;

	if (member->frame.head.type == STN_FRAME_MISS)
		take_miss(gateway, member);
	err = stn_wireup_server_take(server, member->rank, &member->frame);
	if (server->aborted && !server->misses)
		gateway_fail(gateway, "%s", server->reason.text);
	else if (err)
		gateway_fail(gateway,
			     "node %" PRIu32 " is of another version of "
			     "Sateen; rebuild it",
			     rank_of(gateway, member));
}

/* Before there is a plan, it can only give up. */
static void
hear(struct gateway *gateway, struct member *member)
{
	struct stn_frame_in *frame = &member->frame;
	bool more = true;

	while (more) {
		size_t before = frame->got;

		if (stn_frame_read(frame, member->line.fd)) {
			member_lost(gateway, member);
			return;
		}
		more = frame->got != before;
		if (!stn_frame_whole(frame))
			continue;
		if (gateway->planned)
			take_frame(gateway, member);
		else
			gateway_fail(gateway, "%.*s", (int)frame->head.size,
				     (const char *)frame->body);
		stn_frame_drop(frame);
	}
}

void
gateway_hear(struct gateway *gateway, uint32_t rank)
{
	for (uint32_t i = 0; i < gateway->size; i++) {
		struct member *member = gateway->members[i];

		if (member &&
		    (rank == STN_NOBODY || rank == rank_of(gateway, member)))
			hear(gateway, member);
	}
}

static void
member_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct member *member = (struct member *)watch;

	if (events & EPOLLOUT)
		watch_member(gateway, member);
	if (events & ~(uint32_t)EPOLLOUT)
		hear(gateway, member);
}

static void
refuse(struct gateway *gateway, struct guest *guest, const char *why)
{
	struct stn_answer answer = { true, (uint32_t)strlen(why) };
	unsigned char bytes[STN_ANSWER_BYTES];

	stn_answer_write(bytes, &answer);
	if (stn_line_init(&guest->line, guest->fd, NULL, NULL)) {
		stn_line_put(&guest->line, bytes, sizeof(bytes));
		stn_line_put(&guest->line, why, strlen(why));
		stn_line_flush(&guest->line);
	}
	gateway_dismiss(gateway, guest, why);
}

static void
answer_well(struct stn_line *line, const void *body, size_t size)
{
	struct stn_answer answer = { false, (uint32_t)size };
	unsigned char bytes[STN_ANSWER_BYTES];

	stn_answer_write(bytes, &answer);
	stn_line_put(line, bytes, sizeof(bytes));
	stn_line_put(line, body, size);
}

static void
road_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct seat *seat = (struct seat *)watch;

	stn_switch_ready(&gateway->hub, &seat->port, events);
}

/* A node wants a connection for segments. */
static void
open_road(struct gateway *gateway, struct guest *guest,
	  const struct stn_knock *knock)
{
	struct stn_port port = { .cluster = knock->count, .rank = knock->rank };
	struct seat *seat;

	if (!gateway->planned || knock->count >= gateway->known) {
		refuse(gateway, guest, "this run has no such cluster");
		return;
	}
	seat = gateway_seat(gateway, guest, port);
	if (!seat)
		return;
	seat->watch.ready = road_ready;
	if (stn_switch_add(&gateway->hub, &seat->port)) {
		stn_line_fini(&seat->port.line);
		gateway_bury(gateway, &seat->watch);
		gateway_fail(gateway,
			     "two processes say that they are node %" PRIu32,
			     knock->rank);
		return;
	}
	answer_well(&seat->port.line, NULL, 0);
	stn_switch_ready(&gateway->hub, &seat->port, EPOLLOUT);
}

/* The first node tells how many they are. */
static bool
admit(struct gateway *gateway, const struct stn_knock *knock)
{
	if (!gateway->size && knock->count <= NODES_MOST) {
		gateway->members =
			calloc(knock->count, sizeof(gateway->members[0]));
		if (gateway->members &&
		    !stn_wireup_server_init(&gateway->server, knock->count,
					    tell_all, gateway))
			gateway->size = knock->count;
	}
	return gateway->size && knock->count == gateway->size &&
	       !gateway->members[knock->rank] && !gateway->planned;
}

static struct member *
make_member(struct gateway *gateway, struct guest *guest, uint32_t rank)
{
	struct member *member = calloc(1, sizeof(*member));
	struct seat *seat = NULL;

	if (member)
		seat = gateway_seat(gateway, guest, (struct stn_port){ 0 });
	if (!seat) {
		free(member);
		return NULL;
	}
	member->line = seat->port.line;
	free(seat);
	member->rank = rank;
	member->watch.ready = member_ready;
	return member;
}

/* A node wants to be wired up. */
static void
join(struct gateway *gateway, struct guest *guest,
     const struct stn_knock *knock)
{
	struct member *member;

	if (!admit(gateway, knock)) {
		refuse(gateway, guest,
		       "there is such a node already, or of another number of "
		       "nodes; let `sateen join` start one launcher");
		return;
	}
	member = make_member(gateway, guest, knock->rank);
	if (!member)
		return;
	gateway->members[knock->rank] = member;
	gateway->present++;
	watch_member(gateway, member);
	gateway_plan(gateway);
}

void
gateway_knock(struct gateway *gateway, struct guest *guest,
	      const struct stn_knock *knock)
{
	if (!gateway->begun)
		refuse(gateway, guest, "the run has not begun");
	else if (knock->what_for == STN_KNOCK_CONTROL)
		join(gateway, guest, knock);
	else
		open_road(gateway, guest, knock);
}

static void
tell_plan(struct gateway *gateway, const struct stn_layout *plan)
{
	unsigned char bytes[STN_LAYOUT_BYTES];
	size_t size = stn_layout_write(bytes, plan);

	for (uint32_t i = 0; i < gateway->size; i++) {
		struct member *member = gateway->members[i];

		if (!member)
			continue;
		answer_well(&member->line, bytes, size);
		watch_member(gateway, member);
	}
}

static bool
make_plan(const struct gateway *gateway, struct stn_layout *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->mine = gateway->mine;
	plan->clusters = gateway->known;
	for (uint32_t i = 0; i < gateway->known; i++) {
		if (!gateway->parties[i].size)
			return false;
		plan->first[i + 1] = plan->first[i] + gateway->parties[i].size;
	}
	return true;
}

void
gateway_plan(struct gateway *gateway)
{
	struct party *party = &gateway->parties[gateway->mine];
	unsigned char size[4];
	struct stn_layout plan;

	if (gateway->planned || !gateway->size ||
	    gateway->present < gateway->size)
		return;
	if (!party->size) {
		party->size = gateway->size;
		stn_trunk_size_write(size, gateway->size);
		gateway_tell(gateway, STN_TRUNK_SIZE, size, sizeof(size));
	}
	if (!make_plan(gateway, &plan))
		return;
	if (stn_switch_plan(&gateway->hub, plan.first)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	gateway->planned = true;
	tell_plan(gateway, &plan);
}

void
gateway_fini_nodes(struct gateway *gateway)
{
	for (uint32_t i = 0; i < gateway->size; i++) {
		struct member *member = gateway->members[i];

		if (!member)
			continue;
		let_go(member->news);
		stn_frame_drop(&member->frame);
		stn_line_fini(&member->line);
		free(member);
	}
	free(gateway->members);
	if (gateway->size)
		stn_wireup_server_fini(&gateway->server);
}
