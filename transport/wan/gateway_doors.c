/*
 * gateway_doors.c: where the gateway listens, and where the others are told to
 * find it: outside for other gateways, inside for the cluster's nodes.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/wan/gateway_own.h"
#include "transport/wan/listen.h"

/* An address, or one with a port, where a firewall leads to us from. */
static enum stn_err
read_place(const char *text, struct stn_entry *entry, struct stn_why *why)
{
	struct stn_place *place = &entry->places[0];

	entry->count = 1;
	if (!stn_place_read_address(text, place) &&
	    !stn_place_read(text, place))
		return stn_because(why, STN_INVALID,
				   "--address: \"%.80s\" is no IP address, nor "
				   "one with a port, such as 192.0.2.1:9000 or "
				   "[2001:db8::1]:9000",
				   text);
	if (stn_place_is_link_local(place))
		return stn_because(why, STN_INVALID,
				   "--address: %.80s leads nowhere but on its "
				   "own link; give one that other sites can "
				   "call",
				   text);
	return STN_OK;
}

/* What the user says, or what our interfaces have. */
static enum stn_err
find_places(const struct gateway *gateway, struct stn_entry *entry,
	    struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;

	if (options->address)
		return read_place(options->address, entry, why);
	entry->count = stn_own_places(options->interface, entry->places,
				      STN_ENTRY_PLACES);
	if (entry->count)
		return STN_OK;
	if (options->interface)
		return stn_because(why, STN_MISSING,
				   "--interface: %s has no address that others "
				   "could call, or is down",
				   options->interface);
	return stn_because(why, STN_MISSING,
			   "no interface of this host is up and has an address "
			   "that others could call; give one by --address");
}

/* Sockets that listen at the same port become doors. */
static enum stn_err
add_doors(struct gateway *gateway, const int *fds, size_t count, bool outside,
	  struct stn_why *why)
{
	enum stn_err err = STN_OK;

	for (size_t i = 0; i < count; i++) {
		struct door *door = &gateway->doors[gateway->door_count++];

		door->watch.ready = gateway_accept;
		door->fd = fds[i];
		door->outside = outside;
		if (!gateway_watch(gateway, &door->watch, door->fd, EPOLLIN))
			err = stn_because(why, STN_IO,
					  "can't wait for events: %s",
					  strerror(errno));
	}
	return err;
}

static enum stn_err
open_outside(struct gateway *gateway, const struct stn_entry *entry,
	     struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;
	const struct stn_place any = { .port = 0 };
	bool some = options->interface && !options->address;
	size_t count = some ? entry->count : 1;
	int fds[STN_ENTRY_PLACES];
	enum stn_err err;

	err = stn_listen(some ? entry->places : &any, count, options->low,
			 options->high, fds, &gateway->outside_port, why);
	return err ? err : add_doors(gateway, fds, count, true, why);
}

static enum stn_err
open_inside(struct gateway *gateway, struct stn_why *why)
{
	const struct stn_gateway_options *options = gateway->options;
	const struct stn_place any = { .port = 0 };
	uint16_t *port_p = &gateway->inside_port;
	enum stn_err err;
	int fd;

	err = stn_listen(&any, 1, options->low, options->high, &fd, port_p,
			 NULL);
	if (err)
		err = stn_listen(&any, 1, 0, 0, &fd, port_p, why);
	return err ? err : add_doors(gateway, &fd, 1, false, why);
}

enum stn_err
gateway_open_doors(struct gateway *gateway, struct stn_entry *entry,
		   struct stn_why *why)
{
	enum stn_err err = find_places(gateway, entry, why);

	if (!err)
		err = open_outside(gateway, entry, why);
	if (!err)
		err = open_inside(gateway, why);
	if (err)
		return err;
	for (size_t i = 0; i < entry->count; i++)
		if (!entry->places[i].port)
			entry->places[i].port = gateway->outside_port;
	return STN_OK;
}

void
gateway_close_doors(struct gateway *gateway)
{
	while (gateway->door_count)
		close(gateway->doors[--gateway->door_count].fd);
}
