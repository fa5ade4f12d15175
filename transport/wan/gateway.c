#include "transport/wan/gateway.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/ops.h"
#include "transport/signals.h"
#include "transport/wan/gateway_own.h"
#include "transport/wan/meeting.h"

#define EVENTS 64
#define TICK_MS 100
#define LINGER_MS 1000

uint64_t
gateway_now(void)
{
	return stn_machine_now(NULL);
}

static void
say(const struct gateway *gateway, const char *format, va_list list)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, list);
	fprintf(stderr, "sateen join %s: %s\n", gateway->options->cluster,
		text);
}

void
gateway_say(const struct gateway *gateway, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say(gateway, format, list);
	va_end(list);
}

bool
gateway_watch(struct gateway *gateway, struct watch *watch, int fd,
	      uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	return !epoll_ctl(gateway->epoll, EPOLL_CTL_ADD, fd, &event);
}

void
gateway_rewatch(struct gateway *gateway, struct watch *watch, int fd,
		uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	epoll_ctl(gateway->epoll, EPOLL_CTL_MOD, fd, &event);
}

void
gateway_unwatch(struct gateway *gateway, int fd)
{
	epoll_ctl(gateway->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void
gateway_bury(struct gateway *gateway, struct watch *watch)
{
	watch->dead = true;
	watch->next_dead = gateway->dead;
	gateway->dead = watch;
}

static void
free_dead(struct gateway *gateway)
{
	while (gateway->dead) {
		struct watch *watch = gateway->dead;

		gateway->dead = watch->next_dead;
		free(watch);
	}
}

static void
look(struct gateway *gateway)
{
	uint64_t now = gateway_now();

	gateway_look(gateway, now);
	gateway_look_at_guests(gateway, now);
	gateway_look_at_trunks(gateway, now);
	gateway_look_at_command(gateway, now);
	gateway_refusals(gateway, now);
	if (gateway->planned && gateway->options->silence_ns)
		stn_switch_look(&gateway->hub, now,
				gateway->options->silence_ns);
	gateway_look_at_doubt(gateway, now);
}

static void
attend(struct gateway *gateway)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(gateway->epoll, events, EVENTS, TICK_MS);

	for (int i = 0; i < count; i++) {
		struct watch *watch = events[i].data.ptr;

		if (!watch->dead)
			watch->ready(gateway, watch, events[i].events);
	}
	look(gateway);
	stn_switch_flush(&gateway->hub);
	free_dead(gateway);
}

/* Before the command has been started, a failure is the end. */
static bool
goes_on(const struct gateway *gateway)
{
	if (gateway->child)
		return true;
	if (gateway->failed)
		return false;
	return !gateway->begun || (*gateway->doubt.text && !gateway->over);
}

/*
 * What was said last should arrive: so the trunks aren't closed before the
 * other side has, or for a while.
 */
static void
part(struct gateway *gateway)
{
	uint64_t end = gateway_now() + LINGER_MS * 1000000ull;
	bool some;

	stn_meeting_leave(gateway->meeting);
	stn_switch_flush(&gateway->hub);
	for (uint32_t i = 0; i < gateway->known; i++) {
		struct seat *trunk = gateway->parties[i].trunk;

		if (trunk && !stn_line_waiting(&trunk->port.line))
			shutdown(trunk->port.line.fd, SHUT_WR);
	}
	gateway->over = true;
	do {
		attend(gateway);
		some = false;
		for (uint32_t i = 0; i < gateway->known; i++)
			some = some || gateway->parties[i].trunk;
	} while (some && gateway_now() < end);
}

static enum stn_err
set_signals(struct gateway *gateway, struct stn_why *why)
{
	sigset_t mask;

	signal(SIGPIPE, SIG_IGN); /* hiredis writes without MSG_NOSIGNAL */
	stn_signals_block(&mask, &gateway->old_mask);
	gateway->signals = signalfd(-1, &mask, SFD_CLOEXEC);
	gateway->epoll = epoll_create1(EPOLL_CLOEXEC);
	gateway->signal_watch.ready = gateway_signal;
	if (gateway->signals < 0 || gateway->epoll < 0 ||
	    !gateway_watch(gateway, &gateway->signal_watch, gateway->signals,
			   EPOLLIN))
		return stn_because(why, STN_IO, "can't wait for events: %s",
				   strerror(errno));
	return STN_OK;
}

/* What nobody can guess, and what nobody else will have. */
static bool
draw(struct gateway *gateway)
{
	const ssize_t token = sizeof(gateway->token);
	const ssize_t identity = sizeof(gateway->entry.identity);

	return getrandom(gateway->token, sizeof(gateway->token), 0) == token &&
	       getrandom(&gateway->entry.identity, sizeof(uint64_t), 0) ==
		       identity;
}

static enum stn_err
prepare(struct gateway *gateway, struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;
	struct rlimit files;
	enum stn_err err;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	gateway->give_up_ns = gateway_now() + options->wait_ns;
	gateway->parties =
		calloc(options->clusters, sizeof(gateway->parties[0]));
	gateway->entry.clusters = options->clusters;
	if (!gateway->parties || !draw(gateway))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = set_signals(gateway, why);
	if (!err)
		err = stn_tls_create(options->run, options->cluster,
				     options->secret, options->secret_bytes,
				     &gateway->tls, why);
	if (!err)
		err = gateway_open_doors(gateway, &gateway->entry, why);
	return err ? err
		   : stn_meeting_open(options->at, options->run,
				      options->cluster, &gateway->meeting, why);
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void
free_ports(struct gateway *gateway)
{
	struct stn_switch *hub = &gateway->hub;
	size_t nodes =
		hub->nodes ? hub->first[hub->mine + 1] - hub->first[hub->mine]
			   : 0;

	for (size_t i = 0; i < nodes * hub->clusters; i++)
		if (hub->nodes[i])
			gateway_switch_calls.lost(gateway, hub->nodes[i], "");
	for (uint32_t i = 0; hub->trunks && i < hub->clusters; i++)
		if (hub->trunks[i])
			gateway_switch_calls.lost(gateway, hub->trunks[i], "");
	stn_switch_fini(hub);
}

static void
fini(struct gateway *gateway)
{
	while (gateway->guests)
		gateway_dismiss(gateway, gateway->guests, NULL);
	free_ports(gateway);
	gateway_fini_nodes(gateway);
	free_dead(gateway);
	stn_meeting_close(gateway->meeting);
	stn_tls_destroy(gateway->tls);
	gateway_close_doors(gateway);
	close_fd(gateway->signals);
	close_fd(gateway->epoll);
	for (uint32_t i = 0; i < gateway->known; i++) {
		free(gateway->parties[i].cards.bytes);
		free(gateway->parties[i].next.bytes);
	}
	free(gateway->parties);
}

int
stn_gateway_run(const struct stn_gateway_options *options)
{
	struct gateway gateway = {
		.options = options,
		.signals = -1,
		.epoll = -1,
	};
	struct stn_why why;

	if (prepare(&gateway, &why)) {
		gateway_fail(&gateway, "%s", why.text);
	} else {
		while (goes_on(&gateway))
			attend(&gateway);
		part(&gateway);
		gateway_explain_status(&gateway);
	}
	fini(&gateway);
	if (gateway.failed && !gateway.status)
		return EXIT_FAILURE;
	return gateway.status;
}
