/*
 * gateway_guest.c: connections that have not yet proved who they are. There
 * are few at a time: of many that come, one of those goes of whose host there
 * are most. Each has a deadline, and costs a buffer only once it has proved
 * itself.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/transport.h"
#include "transport/wan/gateway_own.h"
#include "transport/wan/silence.h"

#define STRANGERS_MOST 32 /* at a time, from outside */
#define CALLERS_MOST 512  /* from inside */
#define PROVE_NS (5 * STN_SECOND_NS)
#define SPEAK_NS (30 * STN_SECOND_NS) /* of one that has proved itself */
#define CALL_NS (3 * STN_SECOND_NS)
#define SAY_MOST 5		    /* lines on refusals, then */
#define SAY_NS (10 * STN_SECOND_NS) /* sums, so often */
#define HUNG_UP "it hung up"
#define ACCEPT_MOST 64 /* before others have a turn */

void
gateway_refusals(struct gateway *gateway, uint64_t now)
{
	struct refusals *refusals = &gateway->refusals;

	if (!refusals->held || now - refusals->last_ns < SAY_NS)
		return;
	gateway_say(gateway, "refused %u more connections", refusals->held);
	refusals->held = 0;
	refusals->last_ns = now;
}

/* Of two gateways that call each other at once, one hangs up. */
static bool
is_of_party(const struct gateway *gateway, const struct stn_place *from)
{
	for (uint32_t i = 0; i < gateway->known; i++) {
		const struct stn_entry *entry = &gateway->parties[i].entry;

		for (size_t j = 0; j < entry->count; j++)
			if (stn_place_is_near(&entry->places[j], from))
				return true;
	}
	return false;
}

static void
say_refused(struct gateway *gateway, const struct stn_place *from,
	    const char *why)
{
	struct refusals *refusals = &gateway->refusals;
	char place[STN_PLACE_BYTES];

	if (refusals->said >= SAY_MOST) {
		if (!refusals->held++)
			refusals->last_ns = gateway_now();
		return;
	}
	refusals->said++;
	stn_place_write(place, from);
	gateway_say(gateway, "refused a connection from %s: %s", place, why);
}

static bool
is_proved(const struct guest *guest)
{
	return guest->state == GUEST_SPEAKS || guest->state == GUEST_WAITS;
}

/* Those that others may crowd out. */
static unsigned *
count_of(struct gateway *gateway, const struct guest *guest)
{
	if (guest->called || is_proved(guest))
		return NULL;
	return guest->state == GUEST_KNOCKS ? &gateway->callers
					    : &gateway->strangers;
}

static void
unlink_guest(struct gateway *gateway, struct guest *guest)
{
	unsigned *count = count_of(gateway, guest);

	if (count)
		--*count;
	*guest->previous = guest->next;
	if (guest->next)
		guest->next->previous = guest->previous;
	for (uint32_t i = 0; i < gateway->known; i++)
		if (gateway->parties[i].calling == guest)
			gateway->parties[i].calling = NULL;
	gateway_bury(gateway, &guest->watch);
}

/* Why several calls have failed is told in one line. */
static bool
says_more(const char *why, const char *last)
{
	return !*last || (strcmp(why, HUNG_UP) && !strstr(last, "secret"));
}

void
gateway_dismiss(struct gateway *gateway, struct guest *guest, const char *why)
{
	const struct linger at_once = { .l_onoff = 1 };

	struct party *party = gateway_find(gateway, guest->cluster);

	if (why && !guest->called &&
	    (strcmp(why, HUNG_UP) || !is_of_party(gateway, &guest->from)))
		say_refused(gateway, &guest->from, why);
	if (why && guest->called && party && says_more(why, party->last.text))
		stn_because(&party->last, STN_OK, "%s", why);
	unlink_guest(gateway, guest);
	gateway_unwatch(gateway, guest->fd);
	if (guest->fd >= 0)
		setsockopt(guest->fd, SOL_SOCKET, SO_LINGER, &at_once,
			   sizeof(at_once));
	if (guest->line.in) {
		stn_line_fini(&guest->line);
		return;
	}
	stn_session_destroy(guest->session);
	close(guest->fd);
}

struct seat *
gateway_seat(struct gateway *gateway, struct guest *guest, struct stn_port as)
{
	struct seat *seat = calloc(1, sizeof(*seat));

	if (!seat) {
		gateway_fail(gateway, "out of memory");
		return NULL;
	}
	seat->port = as;
	if (!guest->line.in &&
	    !stn_line_init(&guest->line, guest->fd, NULL, NULL)) {
		gateway_fail(gateway, "out of memory");
		free(seat);
		return NULL;
	}
	seat->port.line = guest->line;
	guest->line = (struct stn_line){ .fd = -1 };
	unlink_guest(gateway, guest);
	return seat;
}

static void guest_ready(struct gateway *gateway, struct watch *watch,
			uint32_t events);

/* Who it is must be known by then, or it goes. */
static struct guest *
admit(struct gateway *gateway, int fd, const struct stn_place *from,
      enum guest_state state, uint32_t events)
{
	struct guest *guest = calloc(1, sizeof(*guest));

	if (!guest) {
		close(fd);
		return NULL;
	}
	guest->watch.ready = guest_ready;
	guest->state = state;
	guest->fd = fd;
	guest->from = *from;
	guest->events = events;
	guest->called = state == GUEST_CALLS;
	guest->until_ns = gateway_now() + (guest->called ? CALL_NS : PROVE_NS);
	guest->next = gateway->guests;
	guest->previous = &gateway->guests;
	if (guest->next)
		guest->next->previous = &guest->next;
	gateway->guests = guest;
	if (count_of(gateway, guest))
		++*count_of(gateway, guest);
	if (!gateway_watch(gateway, &guest->watch, fd, events)) {
		gateway_dismiss(gateway, guest, NULL);
		return NULL;
	}
	return guest;
}

static bool
is_stranger(const struct guest *guest)
{
	return guest->state == GUEST_PROVES && !guest->called;
}

/* How many strangers are of its host; of one that is expected, none. */
static unsigned
crowd_of(const struct gateway *gateway, const struct guest *guest)
{
	unsigned count = 0;

	if (guest->expected)
		return 0;
	for (const struct guest *at = gateway->guests; at; at = at->next)
		count += is_stranger(at) &&
			 stn_place_is_near(&at->from, &guest->from);
	return count;
}

/*
 * Makes room for another stranger, so that one host alone can't keep others
 * out. Of as many, the list's last is the oldest.
 */
static void
thin_out(struct gateway *gateway)
{
	struct guest *most = NULL;
	unsigned count = 0;

	for (struct guest *at = gateway->guests; at; at = at->next) {
		unsigned crowd = is_stranger(at) ? crowd_of(gateway, at) : 0;

		if (!is_stranger(at) || crowd < count)
			continue;
		most = at;
		count = crowd;
	}
	if (most)
		gateway_dismiss(gateway, most, "others came");
}

/* The same for those who knock inside, where all are trusted. */
static void
dismiss_oldest_caller(struct gateway *gateway)
{
	struct guest *oldest = NULL;

	for (struct guest *at = gateway->guests; at; at = at->next)
		if (at->state == GUEST_KNOCKS)
			oldest = at;
	if (oldest)
		gateway_dismiss(gateway, oldest, "others came");
}

static void
set_options(int fd, uint64_t silence_ns)
{
	const int on = 1, lowat = STN_LINE_OUT;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof(lowat));
	stn_silence_bound(fd, silence_ns, true);
}

static void
accept_outside(struct gateway *gateway, int fd, const struct stn_place *from)
{
	struct guest *guest;

	if (gateway->begun || gateway->failed) {
		if (!is_of_party(gateway, from) ||
		    gateway_now() > gateway->begun_ns + PROVE_NS)
			say_refused(gateway, from,
				    "all clusters have joined already");
		close(fd);
		return;
	}
	if (gateway->strangers >= STRANGERS_MOST)
		thin_out(gateway);
	guest = admit(gateway, fd, from, GUEST_PROVES, EPOLLIN);
	if (!guest)
		return;
	guest->expected = is_of_party(gateway, from);
	guest->session = stn_session_create(gateway->tls, fd, NULL);
	if (!guest->session)
		gateway_dismiss(gateway, guest, "out of memory");
}

static void
accept_inside(struct gateway *gateway, int fd, const struct stn_place *from)
{
	if (gateway->callers >= CALLERS_MOST)
		dismiss_oldest_caller(gateway);
	admit(gateway, fd, from, GUEST_KNOCKS, EPOLLIN);
}

/* Strangers are few: if no descriptor is left, it is nodes that miss it. */
static void
not_accepted(struct gateway *gateway, bool outside, int error)
{
	if (!outside && (error == EMFILE || error == ENFILE))
		gateway_fail(gateway,
			     "there are too many nodes and clusters for the "
			     "descriptors that are allowed; raise `ulimit -n`");
}

void
gateway_accept(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	const struct door *door = (const struct door *)watch;

	(void)events;
	for (unsigned i = 0; i < ACCEPT_MOST; i++) {
		struct sockaddr_storage address;
		socklen_t bytes = sizeof(address);
		struct stn_place from;
		int fd = accept4(door->fd, (struct sockaddr *)&address, &bytes,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			not_accepted(gateway, door->outside, errno);
			return;
		}
		stn_place_from_socket((struct sockaddr *)&address, &from);
		set_options(fd, gateway->options->silence_ns);
		if (door->outside)
			accept_outside(gateway, fd, &from);
		else
			accept_inside(gateway, fd, &from);
	}
}

struct guest *
gateway_call(struct gateway *gateway, const char *cluster,
	     const struct stn_place *to)
{
	struct sockaddr_storage address;
	socklen_t bytes = stn_place_to_socket(to, &address);
	int fd = socket(address.ss_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct guest *guest;

	if (fd < 0)
		return NULL;
	set_options(fd, gateway->options->silence_ns);
	if (connect(fd, (const struct sockaddr *)&address, bytes) &&
	    errno != EINPROGRESS) {
		close(fd);
		return NULL;
	}
	guest = admit(gateway, fd, to, GUEST_CALLS, EPOLLOUT);
	if (guest)
		strcpy(guest->cluster, cluster);
	return guest;
}

static void
rewatch(struct gateway *gateway, struct guest *guest, uint32_t events)
{
	if (guest->events == events)
		return;
	guest->events = events;
	gateway_rewatch(gateway, &guest->watch, guest->fd, events);
}

static void
proved(struct gateway *gateway, struct guest *guest)
{
	unsigned *count = count_of(gateway, guest);

	if (count)
		--*count;
	guest->state = GUEST_SPEAKS;
	guest->until_ns = gateway_now() + SPEAK_NS;
	strcpy(guest->cluster, stn_session_peer(guest->session));
	if (!stn_line_init(&guest->line, guest->fd, &stn_session_cipher,
			   guest->session)) {
		guest->session = NULL;
		guest->fd = -1;
		gateway_dismiss(gateway, guest, "out of memory");
		return;
	}
	gateway_greet(gateway, guest);
}

static void
prove(struct gateway *gateway, struct guest *guest)
{
	struct stn_why why;

	switch (stn_session_step(guest->session, &why)) {
	case STN_SESSION_READS:
		rewatch(gateway, guest, EPOLLIN);
		return;
	case STN_SESSION_WRITES:
		rewatch(gateway, guest, EPOLLOUT);
		return;
	case STN_SESSION_PROVED:
		proved(gateway, guest);
		return;
	case STN_SESSION_FAILED:
		gateway_dismiss(gateway, guest, why.text);
	}
}

static void
connected(struct gateway *gateway, struct guest *guest)
{
	socklen_t bytes = sizeof(int);
	int err = 0;

	getsockopt(guest->fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
	if (!err)
		guest->session = stn_session_create(gateway->tls, guest->fd,
						    guest->cluster);
	if (!guest->session) {
		gateway_dismiss(gateway, guest,
				err ? strerror(err) : "out of memory");
		return;
	}
	guest->state = GUEST_PROVES;
	guest->until_ns = gateway_now() + PROVE_NS;
	prove(gateway, guest);
}

/* Not a byte is looked at before all of it is there. */
static void
read_knock(struct gateway *gateway, struct guest *guest)
{
	struct stn_knock knock;
	ssize_t got = recv(guest->fd, guest->knock + guest->got,
			   sizeof(guest->knock) - guest->got, 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		gateway_dismiss(gateway, guest, HUNG_UP);
		return;
	}
	guest->got += (size_t)got;
	if (guest->got < sizeof(guest->knock))
		return;
	if (stn_knock_read(guest->knock, &knock))
		gateway_dismiss(gateway, guest, "it is no node of Sateen's");
	else if (CRYPTO_memcmp(knock.token, gateway->token,
			       sizeof(knock.token)))
		gateway_dismiss(gateway, guest, "its token is not this run's");
	else
		gateway_knock(gateway, guest, &knock);
}

static void
guest_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct guest *guest = (struct guest *)watch;

	(void)events;
	switch (guest->state) {
	case GUEST_CALLS:
		connected(gateway, guest);
		break;
	case GUEST_PROVES:
		prove(gateway, guest);
		break;
	case GUEST_SPEAKS:
	case GUEST_WAITS:
		gateway_heard(gateway, guest);
		break;
	case GUEST_KNOCKS:
		read_knock(gateway, guest);
		break;
	}
}

void
gateway_look_at_guests(struct gateway *gateway, uint64_t now)
{
	struct guest *at = gateway->guests, *next;

	for (; at; at = next) {
		next = at->next;
		if (now > at->until_ns)
			gateway_dismiss(gateway, at,
					is_proved(at) ? "it was not needed"
						      : "it took too long");
	}
}
