/*
 * progress.c: decides which thread drives the network. Workers without work
 * poll it. When no worker polls, the progress thread sleeps on the network's
 * descriptor, so that steal requests are answered while all workers compute.
 * While a worker polls, the progress thread rests: it would wake up for
 * messages that the worker handles anyway, and compete for the lock.
 *
 * A worker that stops polling hands over to the progress thread. If that is
 * cheap (the descriptor stays quiet until armed), or if the worker goes to
 * sleep, it prepares the progress thread's sleep itself. Otherwise the worker
 * starts the work that it has found at once, and an alarm lets the progress
 * thread take over a little later. Setting the alarm takes long where the timer
 * belongs to a hypervisor (10 us or more), so a worker sets it while it polls,
 * and puts it off as long as it polls.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "emul/sim.h"
#include "node/attend.h"
#include "node/progress.h"

#define REST_NS 50000000ull /* while it rests, it looks this often */
/*
 * After a worker has found work, the thread takes over no earlier than
 * TAKE_OVER_NS and no later than TAKE_OVER_MOST_NS. The larger the difference,
 * the fewer alarms a worker sets.
 */
#define TAKE_OVER_NS 50000ull
#define TAKE_OVER_MOST_NS 200000ull
#define POLLS_IN_VAIN 16 /* before a worker yields to a gateway */

/*
 * The members from pollers to aside_arg are under the net lock. The progress
 * thread also reads pollers without it, as a hint. stn_progress_stop sets
 * closing before it writes to kick, and the progress thread loads closing after
 * it has read kick: the two pair through the eventfd.
 */
struct stn_progress {
	_Atomic(uint32_t) pollers; /* workers that poll the network */
	uint64_t wakes_ns; /* when the progress thread wakes up; 0: soon */
	bool hidden;	   /* the network's descriptor is hidden from it */
	bool postponed;	   /* the last poll didn't look after the services */
	uint32_t vain;	   /* polls in a row that found no message */
	void (*aside)(void *arg); /* see stn_progress_aside; or NULL */
	void *aside_arg;

	pthread_t thread;
	_Atomic(bool) closing; /* the progress thread must end */
	int kick;	       /* an eventfd that wakes the progress thread */
	int alarm;	       /* a timerfd that wakes it */
	int watch;	       /* an epoll around the network's descriptor */
};

void
stn_node_enter(struct stn_node *node)
{
	pthread_mutex_lock(&node->net);
}

bool
stn_node_try_enter(struct stn_node *node)
{
	return !pthread_mutex_trylock(&node->net);
}

static void
kick(struct stn_node *node)
{
	if (node->progress)
		eventfd_write(node->progress->kick, 1);
}

void
stn_progress_kick(struct stn_node *node)
{
	kick(node);
}

/* While a worker polls, it does the work for which the transport waits. */
static bool
is_polled(const struct stn_node *node)
{
	return node->progress && node->progress->pollers;
}

/* After the unlock, stn_progress_stop may free what the kick needs. */
void
stn_node_leave(struct stn_node *node)
{
	if (!is_polled(node) && stn_transport_waits(node->transport))
		kick(node);
	pthread_mutex_unlock(&node->net);
}

static bool
quiet(const struct stn_node *node)
{
	return stn_transport_limits(node->transport)->quiet;
}

/*
 * Shows or hides the network's descriptor. The progress thread may be asleep on
 * it, so the change is made in an epoll around it. A quiet descriptor needs
 * none.
 */
static void
progress_show(struct stn_node *node, bool visible)
{
	struct epoll_event event = { .events = visible ? EPOLLIN : 0 };
	int fd = stn_transport_fd(node->transport);

	if (node->progress->hidden == !visible || fd < 0 || quiet(node))
		return;
	node->progress->hidden = !visible;
	epoll_ctl(node->progress->watch, EPOLL_CTL_MOD, fd, &event);
}

/*
 * Prepares a sleep of the progress thread. Returns when the sleep must end; 0
 * if there is work to do first. The transport is armed last, as it must know
 * all messages that the services have sent. A worker that has found work waits
 * for this, so @now is not read again, and the sleep ends a little early.
 */
static uint64_t
arm(struct stn_node *node, uint64_t now)
{
	uint64_t until = stn_attend_look(node, now), end;
	uint64_t sleep_ns = stn_transport_arm(node->transport);

	if (sleep_ns == STN_NOT_NOW || sleep_ns == STN_FOREVER)
		return sleep_ns == STN_NOT_NOW ? 0 : until;
	end = now + sleep_ns;
	return end < until ? end : until;
}

void
stn_progress_poll_begin(struct stn_node *node)
{
	if (node->sim)
		return;
	stn_node_enter(node);
	if (!node->progress->pollers++)
		stn_transport_disarm(node->transport);
	progress_show(node, false);
	stn_node_leave(node);
}

/*
 * Makes the progress thread wake up at a time, without waking it now. Returns
 * false if it does so anyway.
 */
static bool
set_alarm(struct stn_node *node, uint64_t at)
{
	struct itimerspec when = {
		.it_value = { (time_t)(at / STN_SECOND_NS),
			      (long)(at % STN_SECOND_NS) },
	};

	if (at >= node->progress->wakes_ns)
		return false;
	timerfd_settime(node->progress->alarm, TFD_TIMER_ABSTIME, &when, NULL);
	node->progress->wakes_ns = at;
	return true;
}

void
stn_progress_until(struct stn_node *node, uint64_t at)
{
	if (node->sim)
		stn_sim_look_by(node->sim, node->rank, at);
	else
		set_alarm(node, at);
}

/* Does the progress thread wake up within TAKE_OVER_MOST_NS? */
static bool
is_soon(const struct stn_node *node, uint64_t now)
{
	uint64_t at = node->progress->wakes_ns;

	return at >= now && at - now <= TAKE_OVER_MOST_NS;
}

/*
 * While a worker polls: keeps the alarm, which lets the progress thread take
 * over when the worker computes, TAKE_OVER_NS to TAKE_OVER_MOST_NS ahead.
 */
static void
put_off(struct stn_node *node, uint64_t now)
{
	if (quiet(node) || (is_soon(node, now) &&
			    node->progress->wakes_ns - now >= TAKE_OVER_NS))
		return;
	node->progress->wakes_ns = STN_FOREVER;
	set_alarm(node, now + TAKE_OVER_MOST_NS);
}

/*
 * Hands over to the progress thread. Returns true if it must be woken at once.
 * @now_p  the time; 0 afterwards if this has taken longer than a read of the
 *	   clock
 */
static bool
hand_over(struct stn_node *node, uint64_t *now_p)
{
	uint64_t until = arm(node, *now_p);

	/*
	 * Often a request has arrived, from a node that waits for the record
	 * that this worker has just stolen.
	 */
	if (!until && stn_transport_progress(node->transport)) {
		*now_p = stn_node_now(node);
		until = arm(node, *now_p);
	}
	progress_show(node, true);
	if (until && set_alarm(node, until))
		*now_p = 0;
	return !until;
}

uint64_t
stn_progress_poll_end(struct stn_node *node, bool to_work)
{
	bool urgent = false;
	uint64_t now = 0;

	if (node->sim)
		return 0;
	stn_node_enter(node);
	if (!--node->progress->pollers) {
		now = stn_node_now(node);
		if (!to_work || quiet(node))
			urgent = hand_over(node, &now);
		else if (!is_soon(node, now) &&
			 set_alarm(node, now + TAKE_OVER_NS))
			now = 0;
	}
	stn_node_leave(node);
	if (urgent)
		kick(node);
	return now;
}

/*
 * A message may have brought work or a result, for which a worker waits; so the
 * services are looked after in the next poll, or when the last worker stops
 * polling (arm). This is postponed only once, however many messages arrive.
 */
static bool
postpone(struct stn_progress *progress, bool came)
{
	progress->postponed = came && !progress->postponed;
	return progress->postponed;
}

static void
drive(struct stn_node *node)
{
	struct stn_progress *progress = node->progress;
	bool came = stn_transport_progress(node->transport);

	progress->vain = came ? 0 : progress->vain + 1;
	if (!postpone(progress, came)) {
		uint64_t now = stn_node_now(node);

		stn_attend_look(node, now);
		put_off(node, now);
	}
}

bool
stn_progress_poll(struct stn_node *node)
{
	bool postponed, yields;

	if (node->sim)
		return false; /* the simulator has handled all messages */
	if (pthread_mutex_trylock(&node->net))
		return false;
	drive(node);
	postponed = node->progress->postponed;
	yields = node->progress->vain &&
		 !(node->progress->vain % POLLS_IN_VAIN) &&
		 stn_transport_limits(node->transport)->relayed;
	stn_node_leave(node);
	if (yields)
		sched_yield();
	return postponed;
}

bool
stn_progress_has_news(const struct stn_node *node, bool unknown)
{
	return node->topology->nodes > 1 &&
	       stn_transport_has_news(node->transport, unknown);
}

/*
 * Sleeps until the network, the end of a peer's process, a kick or the alarm
 * wakes the thread, or @until. Returns whether a process has ended.
 * @ends  see stn_transport_ends
 */
static bool
sleep_until(struct stn_node *node, uint64_t until, int ends)
{
	struct pollfd fds[] = {
		{ .fd = node->progress->kick, .events = POLLIN },
		{ .fd = quiet(node) ? stn_transport_fd(node->transport)
				    : node->progress->watch,
		  .events = POLLIN },
		{ .fd = node->progress->alarm, .events = POLLIN },
		{ .fd = ends, .events = POLLIN },
	};
	uint64_t now = until == STN_FOREVER ? 0 : stn_node_now(node);
	uint64_t ns = until > now ? until - now : 0;
	struct timespec most = { (time_t)(ns / STN_SECOND_NS),
				 (long)(ns % STN_SECOND_NS) };
	uint64_t count;

	ppoll(fds, 4, until == STN_FOREVER ? NULL : &most, NULL);
	for (int i = 0; i < 3; i += 2)
		if (fds[i].revents &&
		    read(fds[i].fd, &count, sizeof(count)) < 0)
			continue; /* nothing to read: the caller looks anyway */
	return fds[3].revents;
}

/*
 * Drives the network once, unless a worker polls. Returns when the sleep must
 * end; 0: no sleep.
 */
static uint64_t
progress_look(struct stn_node *node)
{
	bool came;

	/*
	 * An event that was on its way when the worker began to poll may have
	 * woken this thread. Nobody else reads the event before the worker
	 * stops, and until it is read this thread can't sleep.
	 */
	if (node->progress->pollers) {
		stn_transport_disarm(node->transport);
		progress_show(node, false);
		return stn_node_now(node) + REST_NS;
	}
	progress_show(node, true);
	came = stn_transport_progress(node->transport);
	if (postpone(node->progress, came))
		return 0;
	if (!came)
		return arm(node, stn_node_now(node));
	stn_attend_look(node, stn_node_now(node));
	return 0;
}

/*
 * Finds the process that has ended, also while a worker polls: the descriptor
 * stays readable until then, and the thread could not sleep on it.
 */
static void
look_at_ends(struct stn_node *node)
{
	stn_transport_look(node->transport);
	stn_transport_progress(node->transport);
}

bool
stn_progress_aside(struct stn_node *node, void (*call)(void *arg), void *arg)
{
	if (!node->progress || node->progress->aside)
		return false;
	node->progress->aside = call;
	node->progress->aside_arg = arg;
	kick(node);
	return true;
}

static void
make_aside_call(struct stn_node *node)
{
	void (*call)(void *arg) = node->progress->aside;
	void *arg = node->progress->aside_arg;

	if (!call)
		return;
	node->progress->aside = NULL;
	pthread_mutex_unlock(&node->net);
	call(arg);
	stn_node_enter(node);
}

/*
 * Takes the net lock, unless a worker that polls has it: each time that worker
 * released the lock, it would have to wake this thread.
 */
static bool
enter(struct stn_node *node)
{
	if (atomic_load_explicit(&node->progress->pollers,
				 memory_order_relaxed))
		return stn_node_try_enter(node);
	stn_node_enter(node);
	return true;
}

static void *
progress_main(void *arg)
{
	struct stn_node *node = arg;
	bool ended = false;

	while (!node->progress->closing) {
		uint64_t until;
		int ends;

		if (!enter(node)) {
			sleep_until(node, stn_node_now(node) + TAKE_OVER_NS,
				    -1);
			continue;
		}
		make_aside_call(node);
		if (ended)
			look_at_ends(node);
		ends = stn_transport_ends(node->transport);
		until = node->progress->wakes_ns = progress_look(node);
		pthread_mutex_unlock(&node->net);
		ended = until && sleep_until(node, until, ends);
	}
	return NULL;
}

static bool
watch_network(struct stn_progress *progress, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	progress->watch = epoll_create1(EPOLL_CLOEXEC);
	return progress->watch >= 0 &&
	       (fd < 0 ||
		!epoll_ctl(progress->watch, EPOLL_CTL_ADD, fd, &event));
}

/* The lock is for stn_progress_kick, which another thread may call already. */
void
stn_progress_start(struct stn_node *node)
{
	struct stn_progress *progress = calloc(1, sizeof(*progress));
	int err;

	if (!progress)
		stn_node_fail(node, "out of memory");
	progress->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	progress->alarm =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	stn_node_enter(node);
	node->progress = progress;
	pthread_mutex_unlock(&node->net);
	if (progress->kick < 0 || progress->alarm < 0 ||
	    !watch_network(progress, stn_transport_fd(node->transport)))
		err = errno;
	else
		err = pthread_create(&progress->thread, NULL, progress_main,
				     node);
	if (err)
		stn_node_fail(node, "can't start the progress thread: %s%s",
			      strerror(err),
			      err == EMFILE ? "; raise ulimit -n" : "");
}

void
stn_progress_stop(struct stn_node *node)
{
	struct stn_progress *progress = node->progress;

	progress->closing = true;
	kick(node);
	pthread_join(progress->thread, NULL);
	stn_node_enter(node);
	node->progress = NULL;
	stn_node_leave(node);
	close(progress->kick);
	close(progress->alarm);
	close(progress->watch);
	free(progress);
}
