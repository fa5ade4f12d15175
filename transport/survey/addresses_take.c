/*
 * addresses_take.c: the addresses that this host has, or those of them that the
 * user asks for.
 */
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/survey/addresses.h"
#include "transport/survey/devices.h"

/* A wish, understood. */
struct wanted {
	const char *interface; /* NULL: any */
	bool any;	       /* address */
	struct stn_address address;
	bool whole; /* that address itself, not its network */
	const char *text;
};

static bool
names_one(const char *text)
{
	return text && *text && strcmp(text, "auto") != 0;
}

static bool
read_sockaddr(const struct sockaddr *from, struct stn_address *address)
{
	memset(address->bytes, 0, sizeof(address->bytes));
	if (from && from->sa_family == AF_INET) {
		address->family = 4;
		memcpy(address->bytes,
		       &((const struct sockaddr_in *)from)->sin_addr, 4);
		return true;
	}
	if (from && from->sa_family == AF_INET6) {
		address->family = 6;
		memcpy(address->bytes,
		       &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
		return true;
	}
	return false;
}

static uint8_t
count_prefix(const struct sockaddr *mask)
{
	struct stn_address bits;
	uint8_t count = 0;

	if (!read_sockaddr(mask, &bits))
		return 0;
	while (count < (bits.family == 4 ? 32 : 128) &&
	       bits.bytes[count / 8] & 0x80u >> count % 8)
		count++;
	return count;
}

/* Does the default route go by it? The kernel's tables, as texts. */
static bool
has_route(const char *interface)
{
	char line[256], name[64], field[64];
	FILE *file = fopen("/proc/net/route", "re");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%63s %63s", name, field) == 2 &&
			!strcmp(name, interface) && !strcmp(field, "00000000");
	if (file)
		fclose(file);
	file = fopen("/proc/net/ipv6_route", "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%63s 00 %*s %*s %*s %*s %*s %*s %*s %63s",
			       field, name) == 2 &&
			!strcmp(name, interface) &&
			strspn(field, "0") == strlen(field);
	if (file)
		fclose(file);
	return found;
}

/* 169.254/16, fe80::/10 */
static bool
leaves_no_link(const struct stn_address *address)
{
	const unsigned char *bytes = address->bytes;

	return address->family == 4
		       ? bytes[0] == 169 && bytes[1] == 254
		       : bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

/* "10.0.0.0/8", "::1", "node7" */
static enum stn_err
read_wish(const struct stn_address_wish *wish, struct wanted *wanted,
	  struct stn_why *why)
{
	char host[256], *slash, *end = "";
	struct addrinfo *found;
	unsigned long prefix, most;

	memset(wanted, 0, sizeof(*wanted));
	if (names_one(wish->interface))
		wanted->interface = wish->interface;
	wanted->any = !names_one(wish->address);
	if (wanted->any)
		return STN_OK;
	wanted->text = wish->address;
	snprintf(host, sizeof(host), "%s", wish->address);
	slash = strchr(host, '/');
	if (slash)
		*slash = '\0';
	if (getaddrinfo(host, NULL, NULL, &found))
		return stn_because(why, STN_INVALID,
				   "--address %s: there is no host of that "
				   "name",
				   wish->address);
	read_sockaddr(found->ai_addr, &wanted->address);
	freeaddrinfo(found);
	most = wanted->address.family == 4 ? 32 : 128;
	prefix = slash ? strtoul(slash + 1, &end, 10) : most;
	wanted->whole = !slash;
	wanted->address.prefix = (uint8_t)prefix;
	if (prefix > most || *end || (slash && !slash[1]))
		return stn_because(why, STN_INVALID,
				   "--address %s: a network is written as "
				   "10.1.0.0/16",
				   wish->address);
	return STN_OK;
}

static bool
is_wanted(const struct wanted *wanted, const struct ifaddrs *at,
	  const struct stn_address *address)
{
	if (wanted->interface && strcmp(wanted->interface, at->ifa_name))
		return false;
	/* Loopback leads nowhere else; who names it has one host. */
	if (wanted->any)
		return wanted->interface || !(at->ifa_flags & IFF_LOOPBACK);
	if (address->family != wanted->address.family)
		return false;
	for (unsigned bit = 0; bit < wanted->address.prefix; bit++)
		if ((address->bytes[bit / 8] ^ wanted->address.bytes[bit / 8]) &
		    (0x80u >> bit % 8))
			return false;
	return true;
}

static uint32_t
speed_of(const struct stn_device *devices, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (devices[i].kind == STN_DEVICE_NET &&
		    !strcmp(devices[i].name, name))
			return devices[i].mbits;
	return 0;
}

static void
take(const struct ifaddrs *list, const struct wanted *wanted,
     struct stn_addresses *addresses)
{
	static const unsigned both = IFF_UP | IFF_RUNNING;
	struct stn_device devices[STN_DEVICES_MOST];
	size_t count = stn_devices_take("", devices, STN_DEVICES_MOST);

	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		struct stn_address address = { .family = 0 };

		if ((at->ifa_flags & both) != both ||
		    strlen(at->ifa_name) >= STN_INTERFACE_BYTES ||
		    addresses->count == STN_ADDRESSES_MOST ||
		    !read_sockaddr(at->ifa_addr, &address) ||
		    leaves_no_link(&address) ||
		    !is_wanted(wanted, at, &address))
			continue;
		address.prefix = count_prefix(at->ifa_netmask);
		strcpy(address.interface, at->ifa_name);
		address.mbits = speed_of(devices, count, at->ifa_name);
		address.routed = has_route(at->ifa_name);
		addresses->at[addresses->count++] = address;
	}
}

/* Why there is nothing, where something was wished for. */
static enum stn_err
explain(const struct ifaddrs *list, const struct wanted *wanted,
	struct stn_why *why)
{
	char names[200] = "", host[65] = "this host";
	bool seen = false, up = false, running = false;
	const char *last = "";

	gethostname(host, sizeof(host) - 1);
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		size_t length = strlen(names);

		if (wanted->interface &&
		    !strcmp(at->ifa_name, wanted->interface)) {
			seen = true;
			up = up || at->ifa_flags & IFF_UP;
			running = running || at->ifa_flags & IFF_RUNNING;
		}
		if (!strstr(names, at->ifa_name) && strcmp(last, at->ifa_name))
			snprintf(names + length, sizeof(names) - length, "%s%s",
				 *names ? ", " : "", at->ifa_name);
		last = at->ifa_name;
	}
	if (wanted->interface && !seen)
		return stn_because(why, STN_MISSING,
				   "host %s has no interface %s; it has %s",
				   host, wanted->interface, names);
	if (wanted->interface && !up)
		return stn_because(why, STN_MISSING,
				   "interface %s of host %s is down; `ip link "
				   "set %s up`, or name another --interface",
				   wanted->interface, host, wanted->interface);
	if (wanted->interface && !running)
		return stn_because(why, STN_MISSING,
				   "interface %s of host %s has no carrier: "
				   "is there a cable, or anybody on that "
				   "bridge? Or name another --interface",
				   wanted->interface, host);
	if (wanted->interface && wanted->any)
		return stn_because(why, STN_MISSING,
				   "interface %s of host %s has no address for "
				   "others; name another --interface",
				   wanted->interface, host);
	return stn_because(why, STN_MISSING,
			   "--address %s: host %s has no such address%s",
			   wanted->text, host,
			   wanted->whole ? "; for many hosts name their "
					   "network: --address 10.1.0.0/16"
					 : " on an interface that is up; see "
					   "`sateen info` there");
}

enum stn_err
stn_addresses_take(const struct stn_address_wish *wish,
		   struct stn_addresses *addresses, struct stn_why *why)
{
	struct wanted wanted;
	struct ifaddrs *list;
	enum stn_err err = read_wish(wish, &wanted, why);

	memset(addresses, 0, sizeof(*addresses));
	if (err)
		return err;
	if (getifaddrs(&list))
		return stn_because(why, STN_IO,
				   "this host's addresses can't be had");
	take(list, &wanted, addresses);
	addresses->wished = wanted.interface || !wanted.any;
	if (addresses->wished && !addresses->count)
		err = explain(list, &wanted, why);
	freeifaddrs(list);
	return err;
}
