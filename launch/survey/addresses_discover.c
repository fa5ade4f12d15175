/*
 * addresses_discover.c: lists this host's addresses.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/survey/addresses.h"
#include "launch/survey/devices.h"

/* A filter after parsing. */
struct parsed_filter {
	const char *interface; /* NULL: all interfaces */
	bool any_address;      /* no address was named */
	struct stn_address address;
	bool exact; /* one address, not a network */
	const char *text;
};

static bool
is_given(const char *text)
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

/* Does the default route use this interface? Reads the kernel's tables. */
static bool
has_default_route(const char *interface)
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

/* Is it in 169.254/16 or fe80::/10? */
static bool
is_link_local(const struct stn_address *address)
{
	const unsigned char *bytes = address->bytes;

	return address->family == 4
		       ? bytes[0] == 169 && bytes[1] == 254
		       : bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

/* Parses the address: "10.0.0.0/8", "::1", "node7". */
static enum stn_err
parse_filter(const struct stn_address_filter *filter,
	     struct parsed_filter *parsed, struct stn_why *why)
{
	char host[256], *slash, *end = "";
	struct addrinfo *found;
	unsigned long prefix, most;

	memset(parsed, 0, sizeof(*parsed));
	if (is_given(filter->interface))
		parsed->interface = filter->interface;
	parsed->any_address = !is_given(filter->address);
	if (parsed->any_address)
		return STN_OK;
	parsed->text = filter->address;
	snprintf(host, sizeof(host), "%s", filter->address);
	slash = strchr(host, '/');
	if (slash)
		*slash = '\0';
	if (getaddrinfo(host, NULL, NULL, &found))
		return stn_because(why, STN_INVALID,
				   "--address %s: there is no host of that "
				   "name",
				   filter->address);
	read_sockaddr(found->ai_addr, &parsed->address);
	freeaddrinfo(found);
	most = parsed->address.family == 4 ? 32 : 128;
	prefix = slash ? strtoul(slash + 1, &end, 10) : most;
	parsed->exact = !slash;
	parsed->address.prefix = (uint8_t)prefix;
	if (prefix > most || *end || (slash && !slash[1]))
		return stn_because(why, STN_INVALID,
				   "--address %s: a network is written as "
				   "10.1.0.0/16",
				   filter->address);
	return STN_OK;
}

static bool
passes_filter(const struct parsed_filter *parsed, const struct ifaddrs *at,
	      const struct stn_address *address)
{
	if (parsed->interface && strcmp(parsed->interface, at->ifa_name))
		return false;
	/* Loopback leads to no other host, so it must be named. */
	if (parsed->any_address)
		return parsed->interface || !(at->ifa_flags & IFF_LOOPBACK);
	return stn_address_is_within(address, &parsed->address);
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
collect_addresses(const struct ifaddrs *list,
		  const struct parsed_filter *parsed,
		  struct stn_addresses *addresses)
{
	static const unsigned both = IFF_UP | IFF_RUNNING;
	struct stn_device devices[STN_DEVICES_MOST];
	size_t count = stn_devices_discover("", devices, STN_DEVICES_MOST);

	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		struct stn_address address = { .family = 0 };

		if ((at->ifa_flags & both) != both ||
		    strlen(at->ifa_name) >= STN_INTERFACE_BYTES ||
		    addresses->count == STN_ADDRESSES_MOST ||
		    !read_sockaddr(at->ifa_addr, &address) ||
		    is_link_local(&address) ||
		    !passes_filter(parsed, at, &address))
			continue;
		address.prefix = count_prefix(at->ifa_netmask);
		strcpy(address.interface, at->ifa_name);
		address.mbits = speed_of(devices, count, at->ifa_name);
		address.routed = has_default_route(at->ifa_name);
		addresses->at[addresses->count++] = address;
	}
}

/* Explains why no address matches the filter. */
static enum stn_err
explain_no_address(const struct ifaddrs *list,
		   const struct parsed_filter *parsed, struct stn_why *why)
{
	char names[200] = "", host[65] = "this host";
	bool seen = false, up = false, running = false;
	const char *last = "";

	gethostname(host, sizeof(host) - 1);
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		size_t length = strlen(names);

		if (parsed->interface &&
		    !strcmp(at->ifa_name, parsed->interface)) {
			seen = true;
			up = up || at->ifa_flags & IFF_UP;
			running = running || at->ifa_flags & IFF_RUNNING;
		}
		if (!strstr(names, at->ifa_name) && strcmp(last, at->ifa_name))
			snprintf(names + length, sizeof(names) - length, "%s%s",
				 *names ? ", " : "", at->ifa_name);
		last = at->ifa_name;
	}
	if (parsed->interface && !seen)
		return stn_because(why, STN_MISSING,
				   "host %s has no interface %s; it has %s",
				   host, parsed->interface, names);
	if (parsed->interface && !up)
		return stn_because(why, STN_MISSING,
				   "interface %s of host %s is down; `ip link "
				   "set %s up`, or name another --interface",
				   parsed->interface, host, parsed->interface);
	if (parsed->interface && !running)
		return stn_because(why, STN_MISSING,
				   "interface %s of host %s has no carrier; "
				   "check the cable or the bridge, or name "
				   "another --interface",
				   parsed->interface, host);
	if (parsed->interface && parsed->any_address)
		return stn_because(why, STN_MISSING,
				   "interface %s of host %s has no address "
				   "that other hosts can reach; name another "
				   "--interface",
				   parsed->interface, host);
	return stn_because(why, STN_MISSING,
			   "--address %s: host %s has no such address%s",
			   parsed->text, host,
			   parsed->exact ? "; for many hosts name their "
					   "network: --address 10.1.0.0/16"
					 : " on an interface that is up; see "
					   "`sateen info` there");
}

enum stn_err
stn_addresses_discover(const struct stn_address_filter *filter,
		       struct stn_addresses *addresses, struct stn_why *why)
{
	struct parsed_filter parsed;
	struct ifaddrs *list;
	enum stn_err err = parse_filter(filter, &parsed, why);

	memset(addresses, 0, sizeof(*addresses));
	if (err)
		return err;
	if (getifaddrs(&list))
		return stn_because(why, STN_IO,
				   "can't read this host's addresses: %s",
				   strerror(errno));
	collect_addresses(list, &parsed, addresses);
	addresses->filtered = parsed.interface || !parsed.any_address;
	if (addresses->filtered && !addresses->count)
		err = explain_no_address(list, &parsed, why);
	freeifaddrs(list);
	return err;
}
