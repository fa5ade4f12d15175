/*
 * progress.c: who sees to the network. Workers without work poll it. When none
 * does, the progress thread sleeps on the network's descriptor, so that steal
 * requests are answered while all workers compute. While somebody polls, the
 * progress thread rests: it would only wake up in vain, and compete.
 *
 * A worker that stops polling hands over. Where that is cheap (the descriptor
 * is quiet until armed), or it has polled for a short while only, it does so
 * itself. Else the progress thread rests by now: it looks up often, and sees
 * that nobody polls any more; what the worker has found to run starts at once.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "steal/node.h"

#define REST_NS 100000ull /* between looks whether somebody still polls; */
#define POLLS 16	  /* after which the progress thread is made to rest */
#define QUIET_NS 50000000ull /* where those who stop hand over */

void
stn_node_enter(struct stn_node *node)
{
	pthread_mutex_lock(&node->net);
}

static void
kick(struct stn_node *node)
{
	eventfd_write(node->kick, 1);
}

void
stn_node_leave(struct stn_node *node)
{
	bool waits = stn_transport_waits(node->transport);

	pthread_mutex_unlock(&node->net);
	if (waits)
		kick(node);
}

static bool
quiet(const struct stn_node *node)
{
	return stn_transport_limits(node->transport)->quiet;
}

/*
 * Shows or hides the network's descriptor to the progress thread, which may be
 * asleep: so by an epoll around it. A quiet one hides by itself.
 */
static void
show(struct stn_node *node, bool visible)
{
	struct epoll_event event = { .events = visible ? EPOLLIN : 0 };
	int fd = stn_transport_fd(node->transport);

	if (node->hidden == !visible || fd < 0 || quiet(node))
		return;
	node->hidden = !visible;
	epoll_ctl(node->watch, EPOLL_CTL_MOD, fd, &event);
}

uint64_t
stn_node_look_after(struct stn_node *node)
{
	uint64_t held = stn_hold_progress(node);
	uint64_t tick = stn_decide_tick(node);

	stn_decide_longer(node);
	return held < tick ? held : tick;
}

/*
 * Gets ready for a sleep of the progress thread; until when it may last, or 0:
 * there is something to do first. The transport comes last: it must know of
 * all that was sent.
 */
static uint64_t
arm(struct stn_node *node)
{
	uint64_t until = stn_node_look_after(node), end;
	uint64_t sleep_ns = stn_transport_arm(node->transport);

	if (sleep_ns == STN_NOT_NOW || sleep_ns == STN_FOREVER)
		return sleep_ns == STN_NOT_NOW ? 0 : until;
	end = stn_node_now(node) + sleep_ns;
	return end < until ? end : until;
}

void
stn_node_poll_begin(struct stn_node *node)
{
	if (node->sim)
		return;
	stn_node_enter(node);
	if (!node->pollers++) {
		stn_transport_disarm(node->transport);
		node->polls = 0;
	}
	show(node, false);
	stn_node_leave(node);
}

/* Makes the progress thread look again at a time, but doesn't wake it now. */
static void
set_alarm(struct stn_node *node, uint64_t at)
{
	struct itimerspec when = {
		.it_value = { (time_t)(at / STN_SECOND_NS),
			      (long)(at % STN_SECOND_NS) },
	};

	timerfd_settime(node->alarm, TFD_TIMER_ABSTIME, &when, NULL);
	node->wakes_ns = at;
}

/* The progress thread takes over. True if it must be woken at once. */
static bool
hand_over(struct stn_node *node)
{
	uint64_t until = arm(node);

	/* Often it is a request, by who waits for what we have just stolen. */
	if (!until && stn_transport_progress(node->transport))
		until = arm(node);
	show(node, true);
	if (until && until < node->wakes_ns)
		set_alarm(node, until);
	return !until;
}

void
stn_node_poll_end(struct stn_node *node, bool to_work)
{
	bool urgent = false;

	if (node->sim)
		return;
	stn_node_enter(node);
	if (!--node->pollers && !(to_work && node->resting))
		urgent = hand_over(node);
	stn_node_leave(node);
	if (urgent)
		kick(node);
}

void
stn_node_poll(struct stn_node *node)
{
	bool rest;

	if (node->sim)
		return; /* what has come has been handled */
	if (pthread_mutex_trylock(&node->net))
		return;
	stn_transport_progress(node->transport);
	stn_node_look_after(node);
	rest = ++node->polls == POLLS && !node->resting && !quiet(node);
	stn_node_leave(node);
	if (rest)
		kick(node);
}

/* Sleeps until the network or a kick has something. */
static void
sleep_until(struct stn_node *node, uint64_t until)
{
	struct pollfd fds[] = {
		{ .fd = node->kick, .events = POLLIN },
		{ .fd = quiet(node) ? stn_transport_fd(node->transport)
				    : node->watch,
		  .events = POLLIN },
		{ .fd = node->alarm, .events = POLLIN },
	};
	uint64_t now = until == STN_FOREVER ? 0 : stn_node_now(node);
	uint64_t ns = until > now ? until - now : 0;
	struct timespec most = { (time_t)(ns / STN_SECOND_NS),
				 (long)(ns % STN_SECOND_NS) };
	uint64_t count;

	ppoll(fds, 3, until == STN_FOREVER ? NULL : &most, NULL);
	for (int i = 0; i < 3; i += 2)
		if (fds[i].revents &&
		    read(fds[i].fd, &count, sizeof(count)) < 0)
			continue; /* another reason to look, then */
}

/* Until when the progress thread may sleep; 0: not at all. */
static uint64_t
look(struct stn_node *node)
{
	node->resting = node->pollers && !quiet(node);
	if (node->pollers) {
		show(node, false);
		return stn_node_now(node) + (quiet(node) ? QUIET_NS : REST_NS);
	}
	show(node, true);
	return stn_transport_progress(node->transport) ? 0 : arm(node);
}

static void *
progress_main(void *arg)
{
	struct stn_node *node = arg;

	while (!node->closing) {
		uint64_t until;

		stn_node_enter(node);
		until = node->wakes_ns = look(node);
		pthread_mutex_unlock(&node->net);
		if (until)
			sleep_until(node, until);
	}
	return NULL;
}

static bool
watch_network(struct stn_node *node)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = stn_transport_fd(node->transport);

	node->watch = epoll_create1(EPOLL_CLOEXEC);
	return node->watch >= 0 &&
	       (fd < 0 || !epoll_ctl(node->watch, EPOLL_CTL_ADD, fd, &event));
}

void
stn_progress_start(struct stn_node *node)
{
	node->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	node->alarm =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (node->kick < 0 || node->alarm < 0 || !watch_network(node) ||
	    pthread_create(&node->progress, NULL, progress_main, node))
		stn_node_fail(node, "can't start the progress thread");
}

void
stn_progress_stop(struct stn_node *node)
{
	node->closing = true;
	kick(node);
	pthread_join(node->progress, NULL);
	close(node->kick);
	close(node->alarm);
	close(node->watch);
}
