/*
 * addresses.c: the choice among what hosts have. addresses_take.c is where that
 * comes from.
 */
#include "transport/survey/addresses.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/identity.h"

/* What each node would be reached by, and how good that is. */
struct choice {
	bool whole; /* all nodes have one */
	uint32_t mbits;
	uint8_t family;
};

void
stn_address_print(const struct stn_address *address,
		  char text[STN_ADDRESS_TEXT_BYTES])
{
	if (!inet_ntop(address->family == 4 ? AF_INET : AF_INET6,
		       address->bytes, text, STN_ADDRESS_TEXT_BYTES))
		text[0] = '\0';
}

void
stn_address_print_network(const struct stn_address *address,
			  char text[STN_ADDRESS_TEXT_BYTES])
{
	struct stn_address network = *address;
	size_t length;

	for (unsigned bit = address->prefix; bit < 128; bit++)
		network.bytes[bit / 8] &= (unsigned char)~(0x80u >> bit % 8);
	stn_address_print(&network, text);
	length = strlen(text);
	snprintf(text + length, STN_ADDRESS_TEXT_BYTES - length, "/%u",
		 address->prefix);
}

static bool
same_network(const struct stn_address *a, const struct stn_address *b)
{
	if (a->family != b->family || a->prefix != b->prefix)
		return false;
	for (unsigned bit = 0; bit < a->prefix; bit++)
		if ((a->bytes[bit / 8] ^ b->bytes[bit / 8]) &
		    (0x80u >> bit % 8))
			return false;
	return true;
}

static bool
same_address(const struct stn_address *a, const struct stn_address *b)
{
	return a->family == b->family &&
	       !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/* Hosts that are but pretended to be several meet there. */
static bool
is_shared(const struct stn_address *address)
{
	static const unsigned char one[16] = { [15] = 1 };
	bool loopback = address->family == 4
				? address->bytes[0] == 127
				: !memcmp(address->bytes, one, sizeof(one));

	return loopback && getenv(STN_IDENTITY_PRETEND);
}

/* A node's address of one host, to be put in order. */
struct placed {
	const struct stn_address *address;
	uint32_t host;
	size_t node;
};

static int
compare(const void *one, const void *other)
{
	const struct placed *a = one, *b = other;
	int bytes = memcmp(a->address->bytes, b->address->bytes,
			   sizeof(a->address->bytes));

	if (bytes)
		return bytes;
	return a->host < b->host ? -1 : a->host > b->host;
}

/*
 * Finds two nodes of different hosts that have the same address. All are of one
 * family.
 */
static enum stn_err
check_distinct(const struct stn_addresses *const *all, size_t count,
	       const uint32_t *hosts, const char *const *names,
	       const uint8_t *which, struct stn_why *why)
{
	struct placed *placed = calloc(count, sizeof(placed[0]));
	enum stn_err err = STN_OK;
	char text[STN_ADDRESS_TEXT_BYTES];

	if (!placed)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++)
		placed[i] =
			(struct placed){ &all[i]->at[which[i]], hosts[i], i };
	qsort(placed, count, sizeof(placed[0]), compare);
	for (size_t i = 1; i < count && !err; i++) {
		const struct stn_address *address = placed[i].address;

		if (placed[i].host == placed[i - 1].host ||
		    !same_address(placed[i - 1].address, address) ||
		    is_shared(address))
			continue;
		stn_address_print(address, text);
		err = stn_because(why, STN_INVALID,
				  "hosts %s and %s have the same address, %s, "
				  "on %s: it leads to neither from the other; "
				  "name another --interface or --address",
				  names[placed[i - 1].node],
				  names[placed[i].node], text,
				  address->interface);
	}
	free(placed);
	return err;
}

/* Each node's first address in a network. */
static struct choice
choose_network(const struct stn_addresses *const *all, size_t count,
	       const struct stn_address *network, uint8_t *which)
{
	struct choice choice = { true, UINT32_MAX, network->family };

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < all[i]->count &&
		       !same_network(&all[i]->at[at], network))
			at++;
		if (at == all[i]->count)
			return (struct choice){ .whole = false };
		which[i] = (uint8_t)at;
		if (all[i]->at[at].mbits < choice.mbits)
			choice.mbits = all[i]->at[at].mbits;
	}
	return choice;
}

/* Each node's first address of a family, of those that will do. */
static bool
choose_family(const struct stn_addresses *const *all, size_t count,
	      uint8_t family, uint8_t *which)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < all[i]->count &&
		       (all[i]->at[at].family != family ||
			!(all[i]->wished || all[i]->at[at].routed)))
			at++;
		if (at == all[i]->count)
			return false;
		which[i] = (uint8_t)at;
	}
	return true;
}

/* Of equals the first, and IPv4 is first. */
static bool
is_better(const struct choice *choice, const struct choice *than)
{
	if (!than->whole || choice->mbits != than->mbits)
		return !than->whole || choice->mbits > than->mbits;
	return choice->family < than->family;
}

static enum stn_err
no_way(const struct stn_addresses *const *all, size_t count,
       const char *const *names, struct stn_why *why)
{
	for (size_t i = 0; i < count; i++)
		if (!all[i]->count)
			return stn_because(why, STN_MISSING,
					   "host %s has no network interface "
					   "that is up and has an address for "
					   "others; see `sateen info` there",
					   names[i]);
	return stn_because(why, STN_MISSING,
			   "no network is common to all hosts, %s and %s among "
			   "them, nor has each a default route; name what "
			   "leads there by --interface or --address",
			   names[0], names[count - 1]);
}

enum stn_err
stn_addresses_choose(const struct stn_addresses *const *all, size_t count,
		     const uint32_t *hosts, const char *const *names,
		     uint8_t *which, struct stn_why *why)
{
	struct choice best = { .whole = false };
	uint8_t *trial = calloc(count, sizeof(trial[0]));

	if (!trial)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < all[0]->count; i++) {
		struct choice choice =
			choose_network(all, count, &all[0]->at[i], trial);

		if (!choice.whole || !is_better(&choice, &best) ||
		    check_distinct(all, count, hosts, names, trial, NULL))
			continue;
		best = choice;
		memcpy(which, trial, count);
	}
	free(trial);
	if (best.whole)
		return STN_OK;
	if (!choose_family(all, count, 4, which) &&
	    !choose_family(all, count, 6, which))
		return no_way(all, count, names, why);
	return check_distinct(all, count, hosts, names, which, why);
}
