#include "tests/transport/conformance_life.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/transport/conformance_mail.h"

/*
 * An endpoint without a descriptor must be polled. If it is idle, arming it
 * must give longer and longer intervals.
 */
bool
life_can_sleep(struct stn_transport *transport)
{
	bool polled = stn_transport_fd(transport) < 0;
	uint64_t sleep = STN_NOT_NOW;

	for (unsigned i = 0; i < 10000; i++) {
		stn_transport_progress(transport);
		sleep = stn_transport_arm(transport);
		if (sleep != STN_NOT_NOW && !polled)
			return true;
	}
	return polled && sleep >= 10000 && sleep < STN_SECOND_NS;
}

/* Arms an endpoint; returns STN_NOT_NOW (0) if it keeps having work. */
static uint64_t
arm(struct stn_transport *transport)
{
	uint64_t end = net_now() + tap_patience_ns(), sleep;

	while (!(sleep = stn_transport_arm(transport)) && net_now() < end)
		stn_transport_progress(transport);
	return sleep;
}

/*
 * Makes progress on all nodes but the sleeper until it should look: its
 * descriptor is readable or @sleep is over. False after the patience.
 */
static bool
sleep_through(struct net *net, uint32_t sleeper, uint64_t sleep)
{
	int fd = stn_transport_fd(net->nodes[sleeper].transport);
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	uint64_t begin = net_now();

	do {
		for (uint32_t i = 0; i < NET_NODES; i++)
			if (i != sleeper)
				stn_transport_progress(net->nodes[i].transport);
		if (fd >= 0 && poll(&wait, 1, 1) == 1)
			return true;
		if (net_now() - begin >= sleep)
			return true;
	} while (net_now() - begin < tap_patience_ns());
	return false;
}

bool
life_wakes(struct net *net, uint32_t from, uint32_t to, size_t bytes)
{
	struct stn_transport *transport = net->nodes[to].transport;
	uint64_t sleep = arm(transport);
	bool woken = sleep != STN_NOT_NOW;

	mail_post(net, from, to, bytes, 1);
	while (woken && !mail.taken) {
		woken = sleep_through(net, to, sleep);
		stn_transport_progress(transport);
		if (!mail.taken)
			sleep = arm(transport);
	}
	return mail_settle(net) && woken;
}

bool
life_arms_quietly(struct net *net, uint32_t from, uint32_t to, size_t bytes)
{
	bool quiet = true;

	mail_post(net, from, to, bytes, 1);
	for (unsigned i = 0; i < 2000 && quiet; i++) {
		for (uint32_t node = 0; node < NET_NODES; node++)
			if (node != to)
				stn_transport_progress(
					net->nodes[node].transport);
		stn_transport_arm(net->nodes[to].transport);
		quiet = !mail.handled;
	}
	return mail_settle(net) && quiet;
}

bool
life_tells_news(struct net *net, uint32_t from, uint32_t to, size_t bytes,
		bool tells)
{
	const struct stn_transport *transport = net->nodes[to].transport;
	uint64_t end = net_now() + tap_patience_ns();
	bool before = stn_transport_has_news(transport, false), told;

	if (stn_transport_has_news(transport, true) != before)
		return !tells;
	mail_post(net, from, to, bytes, 1);
	while (!(told = stn_transport_has_news(transport, false)) &&
	       net_now() < end)
		for (uint32_t i = 0; i < NET_NODES; i++)
			if (i != to)
				stn_transport_progress(net->nodes[i].transport);
	return mail_settle(net) && !before && told &&
	       !stn_transport_has_news(transport, true);
}

void
life_close_node(struct net *net, uint32_t rank)
{
	stn_transport_close(net->nodes[rank].transport, 0);
	net->nodes[rank].transport = NULL;
}

bool
life_introduce(struct net *net)
{
	net->handler = mail_take;
	for (uint32_t from = 0; from < NET_NODES; from++)
		for (uint32_t to = 0; to < NET_NODES; to++)
			if (from != to)
				mail_post(net, from, to, 10, 1);
	return mail_settle(net);
}

static bool
ended_once(const char *what)
{
	if (mail.done == mail.sent && mail_done_once() && mail_taken_once())
		return true;
	printf("# %s: %u sent, %u done, %u handled, %u taken\n", what,
	       mail.sent, mail.done, mail.handled, mail.taken);
	return false;
}

bool
life_close_sender(struct net *net, bool fragile)
{
	bool met = life_introduce(net), ended;

	for (unsigned i = 0; i < 200; i++)
		mail_post(net, 0, 1 + i % 2, i % 3 ? 200 : net_large(net),
			  1 + i % 12);
	life_close_node(net, 0);
	ended = ended_once("sender closed");
	if (!fragile)
		net_spin(net, 100);
	net_close(net);
	ended = ended && ended_once("all closed");
	mail_forget();
	return met && ended;
}

bool
life_close_receiver(struct net *net)
{
	bool met = life_introduce(net), ended;

	for (unsigned i = 0; i < 20; i++)
		mail_post(net, 0, 1, net_large(net) + 1000000, 1 + i % 12);
	/*
	 * Some payloads have been taken, some are being pulled, and others
	 * wait.
	 */
	met = net_until(net, &mail.handled, 3) && met;
	life_close_node(net, 1);
	ended = mail_taken_once();
	net_close(net);
	ended = ended_once("all closed") && ended;
	mail_forget();
	return met && ended;
}

static void
reach_stage(struct net *net, enum life_stage stage)
{
	if (stage == LIFE_LEFT)
		for (uint32_t i = 0; i < 400; i++)
			stn_transport_progress(net->nodes[i % 2].transport);
	else if (stage != LIFE_POSTED)
		net_until(net, &mail.handled, 3);
}

bool
life_close_stage(struct net *net, enum life_stage stage, uint32_t rank,
		 bool fragile)
{
	bool met = life_introduce(net), ended;

	net->handler = stage == LIFE_REFUSED ? mail_refuse : mail_take;
	for (unsigned i = 0; i < 20; i++) {
		mail_post(net, 0, 1, net_large(net) + 300000, 1 + i % 12);
		mail_post(net, 1, 0, net_large(net) + 300000, 1 + i % 12);
	}
	reach_stage(net, stage);
	life_close_node(net, rank);
	if (!fragile)
		net_spin(net, 100);
	net_close(net);
	ended = ended_once("all closed");
	mail_forget();
	return met && ended;
}

/*
 * A send whose done function sends again, to the next node, until the budget is
 * used up.
 */
static struct net *resend_net;
static unsigned resends, resend_budget, resend_done;
static size_t resend_bytes;
static uint32_t resend_from;
static unsigned char resend_memory[1 << 20];

static void
resend(void *arg, enum stn_err err)
{
	uint32_t to = (uint32_t)(uintptr_t)arg;
	struct iovec piece = { resend_memory, resend_bytes };

	(void)err;
	resend_done++;
	if (!resend_budget)
		return;
	resend_budget--;
	do
		to = (to + 1) % NET_NODES;
	while (to == resend_from);
	resends++;
	stn_transport_send(resend_net->nodes[resend_from].transport, to, 1,
			   "again", 5, &piece, 1, resend,
			   (void *)(uintptr_t)to);
}

static void
resend_begin(struct net *net, uint32_t from, size_t bytes, unsigned budget)
{
	resend_net = net;
	resend_from = from;
	resend_bytes = bytes;
	resend_budget = budget;
	resends = resend_done = 0;
}

static void
handle_refuse(struct net_node *node, const struct stn_message *message)
{
	stn_transport_refuse(node->transport, message);
}

/* Half of the sends stay under way until the close, which ends the rest. */
bool
life_close_resend(struct net *net)
{
	bool met = life_introduce(net);

	net->handler = handle_refuse;
	resend_begin(net, 1, net_large(net), 50);
	resends = 10;
	for (unsigned i = 0; i < 10; i++) {
		struct iovec piece = { resend_memory, resend_bytes };

		stn_transport_send(net->nodes[1].transport, i % 2 ? 0 : 2, 1,
				   "first", 5, &piece, 1, resend,
				   (void *)(uintptr_t)(i % 2 ? 0 : 2));
	}
	life_close_node(net, 1);
	net_close(net);
	if (resend_done != resends || resend_budget)
		printf("# of %u sends %u ended\n", resends, resend_done);
	return met && resend_done == resends && !resend_budget;
}

bool
life_send_to_closed(struct net *net, size_t bytes, bool reached)
{
	uint64_t end =
		net_now() + (reached ? tap_patience_ns() : STN_SECOND_NS / 9);
	bool met = !reached || life_introduce(net), noticed;

	net->handler = handle_refuse;
	life_close_node(net, 1);
	resend_begin(net, 0, bytes, 20);
	for (unsigned i = 0; i < 10; i++) {
		struct iovec piece = { resend_memory, bytes };

		resends++;
		stn_transport_send(net->nodes[0].transport, 1, 1, "first", 5,
				   &piece, 1, resend, (void *)(uintptr_t)1);
	}
	while (!resend_done && net_now() < end)
		net_progress(net);
	net_spin(net, 1000);
	noticed = resend_done || !reached;
	net_close(net);
	if (!noticed || resend_done != resends)
		printf("# of %u sends %u ended\n", resends, resend_done);
	return met && noticed && resend_done == resends && !resend_budget;
}

static int
listen_somewhere(uint16_t *port_p)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t bytes = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, bytes) ||
	    listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&address, &bytes))
		return -1;
	*port_p = ntohs(address.sin_port);
	return fd;
}

bool
life_port_in_use(const struct plan *plan, struct stn_why *why)
{
	struct stn_topology topology = { .nodes = 1, .clusters = 1 };
	struct stn_opening opening = {
		.topology = &topology,
		.handler = net_handle,
	};
	struct stn_transport *transport = NULL;
	int fd = listen_somewhere(&opening.port);
	char port[8];
	enum stn_err err;

	if (fd < 0)
		return false;
	net_set_place(plan, 0, &opening);
	snprintf(port, sizeof(port), "%u", opening.port);
	snprintf(why->text, sizeof(why->text), "it was opened");
	err = stn_open_transport(plan->transport, NULL, &opening, &transport,
				 why);
	if (!err)
		stn_transport_close(transport, 0);
	close(fd);
	return err && strstr(why->text, port);
}

bool
life_side_by_side(struct net *net, struct net *other)
{
	uint64_t end = net_now() + tap_patience_ns();

	for (unsigned i = 0; i < 300; i++) {
		mail_post(net, 0, 1, i % 7 ? 100 : 30000, 2);
		mail_post(other, 2, 1, i % 7 ? 100 : 30000, 2);
	}
	while ((mail.done < 600 || mail.taken < 600) && net_now() < end) {
		net_progress(net);
		net_progress(other);
	}
	return mail_settle(net);
}

/* Two endpoints; the second may be closed and opened again. */
struct pair {
	struct stn_topology topology;
	uint16_t port;
	struct stn_transport *nodes[2];
	unsigned seen, ended;
};

static void
pair_handle(void *arg, const struct stn_message *message)
{
	struct pair *pair = arg;

	(void)message;
	pair->seen++;
}

static void
pair_done(void *arg, enum stn_err err)
{
	struct pair *pair = arg;

	(void)err;
	pair->ended++;
}

static bool
pair_open(struct pair *pair, const struct plan *plan, uint32_t rank)
{
	struct stn_opening opening = {
		.topology = &pair->topology,
		.rank = rank,
		.port = rank ? pair->port : 0,
		.handler = pair_handle,
		.arg = pair,
	};
	struct stn_why why;

	net_set_place(plan, rank, &opening);
	return !stn_open_transport(plan->transport, NULL, &opening,
				   &pair->nodes[rank], &why);
}

static bool
pair_meet(struct pair *pair)
{
	unsigned char address[STN_ADDRESS_BYTES];
	size_t bytes = stn_transport_address(pair->nodes[1], address);
	struct stn_why why;

	return !stn_transport_connect(pair->nodes[0], 1, address, bytes, &why);
}

static void
pair_send(struct pair *pair)
{
	stn_transport_send(pair->nodes[0], 1, 1, "header", 6, NULL, 0,
			   pair_done, pair);
}

static void
pair_spin(struct pair *pair, const unsigned *count, unsigned target)
{
	uint64_t end = net_now() + tap_patience_ns();

	while (*count < target && net_now() < end)
		for (int i = 0; i < 2; i++)
			if (pair->nodes[i])
				stn_transport_progress(pair->nodes[i]);
}

bool
life_port_reused(const struct plan *plan)
{
	struct pair pair = { .topology = { .nodes = 2, .clusters = 1 } };
	int fd = listen_somewhere(&pair.port);
	bool met;

	close(fd);
	met = pair_open(&pair, plan, 0) && pair_open(&pair, plan, 1) &&
	      pair_meet(&pair);
	if (met) {
		pair_send(&pair);
		pair_spin(&pair, &pair.seen, 1);
	}
	stn_transport_close(pair.nodes[1], 0);
	pair.nodes[1] = NULL;
	for (unsigned i = 0; met && i < 1000; i++)
		stn_transport_progress(pair.nodes[0]);
	met = met && pair.seen == 1 && pair_open(&pair, plan, 1);
	if (met) {
		/*
		 * They either reach the new endpoint, which drops them, or end
		 * as lost.
		 */
		pair_send(&pair);
		pair_send(&pair);
		pair_spin(&pair, &pair.ended, 3);
		for (unsigned i = 0; i < 1000; i++)
			stn_transport_progress(pair.nodes[1]);
	}
	stn_transport_close(pair.nodes[0], 0);
	stn_transport_close(pair.nodes[1], 0);
	return met && pair.ended == 3 && pair.seen == 1;
}
