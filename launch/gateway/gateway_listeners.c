#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/identity.h"
#include "launch/gateway/gateway_private.h"

#define ACCEPT_MOST 64 /* from one listener, before others have a turn */
#define PAUSE_NS 100000000ull /* until a listener that can't accept tries again */

/*
 * Reads --address: an address, or one with a port that a firewall forwards to
 * this gateway.
 */
static enum stn_err
read_own_address(const char *text, struct stn_meeting_entry *entry,
		 struct stn_why *why)
{
	struct stn_host_port *address = &entry->addresses[0];

	entry->count = 1;
	if (!stn_host_port_read_address(text, address) &&
	    !stn_host_port_read(text, address))
		return stn_because(why, STN_INVALID,
				   "--address: \"%.80s\" is not an IP address, "
				   "alone or with a port, such as "
				   "192.0.2.1:9000 or [2001:db8::1]:9000",
				   text);
	if (stn_host_port_is_link_local(address))
		return stn_because(why, STN_INVALID,
				   "--address: %.80s is a link-local address; "
				   "give one that other sites can reach",
				   text);
	return STN_OK;
}

/* The address that the user gives, or those of this host's interfaces. */
static enum stn_err
find_own_addresses(const struct gateway *gateway,
		   struct stn_meeting_entry *entry, struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;

	if (options->address)
		return read_own_address(options->address, entry, why);
	entry->count = stn_own_addresses(options->interface, entry->addresses,
					 STN_ENTRY_ADDRESSES);
	if (entry->count)
		return STN_OK;
	if (options->interface)
		return stn_because(why, STN_MISSING,
				   "--interface: %s is down, or has no address "
				   "that others can reach",
				   options->interface);
	return stn_because(why, STN_MISSING,
			   "no interface of this host is up with an address "
			   "that others can reach; give one by --address");
}

/*
 * A connection that can't be accepted keeps the listener readable, so the
 * listener is not watched for a while.
 *
 * The number of pending connections from outside is bounded. So if no
 * descriptor is left inside, the limit is too low for the cluster's nodes.
 */
static void
accept_failed(struct gateway *gateway, struct listener *listener, int error)
{
	if (!stn_is_shortage(error) && error != ENOBUFS)
		return;
	gateway_rewatch(&gateway->loop, &listener->watch, listener->fd, 0);
	gateway->listeners.resume_ns = gateway_now() + PAUSE_NS;
	if (!listener->outside && (error == EMFILE || error == ENFILE))
		gateway_fail(gateway,
			     "there are too many nodes and clusters for the "
			     "descriptors that are allowed; raise `ulimit -n`");
}

static void
listener_ready(struct gateway *gateway, struct watch *watch, uint32_t events)
{
	struct listener *listener = (struct listener *)watch;

	(void)events;
	for (unsigned i = 0; i < ACCEPT_MOST; i++) {
		struct sockaddr_storage address;
		socklen_t bytes = sizeof(address);
		struct stn_host_port from;
		int fd = accept4(listener->fd, (struct sockaddr *)&address,
				 &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			accept_failed(gateway, listener, errno);
			return;
		}
		stn_host_port_from_socket((struct sockaddr *)&address, &from);
		gateway_admit(gateway, fd, &from, listener->outside);
	}
}

/* Makes listeners of sockets that listen on the same port. */
static enum stn_err
add_listeners(struct gateway *gateway, const int *fds, size_t count,
	      bool outside, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	for (size_t i = 0; i < count; i++) {
		struct listener *listener =
			&gateway->listeners.all[gateway->listeners.count++];

		listener->watch.ready = listener_ready;
		listener->fd = fds[i];
		listener->outside = outside;
		if (!gateway_watch(&gateway->loop, &listener->watch,
				   listener->fd, EPOLLIN))
			err = stn_because(why, STN_IO,
					  "can't wait for events: %s",
					  strerror(errno));
	}
	return err;
}

static enum stn_err
open_outside(struct gateway *gateway, const struct stn_meeting_entry *entry,
	     struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;
	const struct stn_host_port any = { .port = 0 };
	bool some = options->interface && !options->address;
	size_t count = some ? entry->count : 1;
	int fds[STN_ENTRY_ADDRESSES];
	enum stn_err err;

	err = stn_listen(some ? entry->addresses : &any, count, options->low,
			 options->high, fds, &gateway->listeners.outside_port,
			 why);
	return err ? err : add_listeners(gateway, fds, count, true, why);
}

static enum stn_err
open_inside(struct gateway *gateway, struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;
	const struct stn_host_port any = { .port = 0 };
	uint16_t *port_p = &gateway->listeners.inside_port;
	enum stn_err err;
	int fd;

	err = stn_listen(&any, 1, options->low, options->high, &fd, port_p,
			 NULL);
	if (err)
		err = stn_listen(&any, 1, 0, 0, &fd, port_p, why);
	return err ? err : add_listeners(gateway, &fd, 1, false, why);
}

enum stn_err
gateway_open_listeners(struct gateway *gateway, struct stn_meeting_entry *entry,
		       struct stn_why *why)
{
	enum stn_err err = find_own_addresses(gateway, entry, why);

	if (!err)
		err = open_outside(gateway, entry, why);
	if (!err)
		err = open_inside(gateway, why);
	if (err)
		return err;
	for (size_t i = 0; i < entry->count; i++)
		if (!entry->addresses[i].port)
			entry->addresses[i].port =
				gateway->listeners.outside_port;
	return STN_OK;
}

void
gateway_listeners_attend(struct gateway *gateway, uint64_t now)
{
	struct listeners *listeners = &gateway->listeners;

	if (!listeners->resume_ns || now < listeners->resume_ns)
		return;
	listeners->resume_ns = 0;
	for (size_t i = 0; i < listeners->count; i++)
		gateway_rewatch(&gateway->loop, &listeners->all[i].watch,
				listeners->all[i].fd, EPOLLIN);
}

void
gateway_close_listeners(struct gateway *gateway)
{
	while (gateway->listeners.count)
		close(gateway->listeners.all[--gateway->listeners.count].fd);
}
