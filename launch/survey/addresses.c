/*
 * addresses.c: chooses among the addresses of the hosts. addresses_discover.c
 * lists them.
 */
#include "launch/survey/addresses.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/identity.h"

/* A network in which the nodes may meet. */
struct candidate_network {
	bool whole; /* all nodes have an address in it */
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

bool
stn_address_is_within(const struct stn_address *address,
		      const struct stn_address *network)
{
	if (address->family != network->family)
		return false;
	for (unsigned bit = 0; bit < network->prefix; bit++)
		if ((address->bytes[bit / 8] ^ network->bytes[bit / 8]) &
		    (0x80u >> bit % 8))
			return false;
	return true;
}

static bool
same_network(const struct stn_address *a, const struct stn_address *b)
{
	return a->prefix == b->prefix && stn_address_is_within(a, b);
}

static bool
same_address(const struct stn_address *a, const struct stn_address *b)
{
	return a->family == b->family &&
	       !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/*
 * Pretended hosts (STN_PRETEND_HOST) are all this host, and may meet on
 * loopback.
 */
static bool
is_pretended_loopback(const struct stn_address *address)
{
	static const unsigned char one[16] = { [15] = 1 };
	bool loopback = address->family == 4
				? address->bytes[0] == 127
				: !memcmp(address->bytes, one, sizeof(one));

	return loopback && getenv(STN_IDENTITY_PRETEND);
}

/* A node's address, for sorting. */
struct node_address {
	const struct stn_address *address;
	uint32_t host;
	size_t node;
};

static int
addresses_compare(const void *one, const void *other)
{
	const struct node_address *a = one, *b = other;
	int bytes = memcmp(a->address->bytes, b->address->bytes,
			   sizeof(a->address->bytes));

	if (bytes)
		return bytes;
	return a->host < b->host ? -1 : a->host > b->host;
}

/*
 * STN_INVALID if two nodes of different hosts have the same address. All
 * addresses are of one family.
 */
static enum stn_err
check_distinct(const struct stn_addresses *const *all, size_t count,
	       const uint32_t *hosts, const char *const *names,
	       const uint8_t *which, struct stn_why *why)
{
	struct node_address *sorted = calloc(count, sizeof(sorted[0]));
	enum stn_err err = STN_OK;
	char text[STN_ADDRESS_TEXT_BYTES];

	if (!sorted)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct node_address){ &all[i]->at[which[i]],
						   hosts[i], i };
	qsort(sorted, count, sizeof(sorted[0]), addresses_compare);
	for (size_t i = 1; i < count && !err; i++) {
		const struct stn_address *address = sorted[i].address;

		if (sorted[i].host == sorted[i - 1].host ||
		    !same_address(sorted[i - 1].address, address) ||
		    is_pretended_loopback(address))
			continue;
		stn_address_print(address, text);
		err = stn_because(
			why, STN_INVALID,
			"hosts %s and %s have the same address, %s, "
			"on %s, so neither can reach the other by it; "
			"name another --interface or --address",
			names[sorted[i - 1].node], names[sorted[i].node], text,
			address->interface);
	}
	free(sorted);
	return err;
}

/* Sets @which to each node's first address in the network. */
static struct candidate_network
choose_network(const struct stn_addresses *const *all, size_t count,
	       const struct stn_address *network, uint8_t *which)
{
	struct candidate_network choice = { true, UINT32_MAX, network->family };

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < all[i]->count &&
		       !same_network(&all[i]->at[at], network))
			at++;
		if (at == all[i]->count)
			return (struct candidate_network){ .whole = false };
		which[i] = (uint8_t)at;
		if (all[i]->at[at].mbits < choice.mbits)
			choice.mbits = all[i]->at[at].mbits;
	}
	return choice;
}

/*
 * Sets @which to each node's first address of the family, among the addresses
 * that the user's filter has chosen or whose interface the default route uses.
 * False: a node has none.
 */
static bool
choose_family(const struct stn_addresses *const *all, size_t count,
	      uint8_t family, uint8_t *which)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < all[i]->count &&
		       (all[i]->at[at].family != family ||
			!(all[i]->filtered || all[i]->at[at].routed)))
			at++;
		if (at == all[i]->count)
			return false;
		which[i] = (uint8_t)at;
	}
	return true;
}

/* Prefers speed, then IPv4; of equals, the first stays. */
static bool
addresses_is_better(const struct candidate_network *choice,
		    const struct candidate_network *than)
{
	if (!than->whole || choice->mbits != than->mbits)
		return !than->whole || choice->mbits > than->mbits;
	return choice->family < than->family;
}

static enum stn_err
explain_no_network(const struct stn_addresses *const *all, size_t count,
		   const char *const *names, struct stn_why *why)
{
	for (size_t i = 0; i < count; i++)
		if (!all[i]->count)
			return stn_because(
				why, STN_MISSING,
				"host %s has no network interface "
				"that is up and has an address other "
				"hosts can reach; see `sateen info` "
				"there",
				names[i]);
	return stn_because(why, STN_MISSING,
			   "no network is common to all hosts, %s and %s among "
			   "them, and not all have a default route; name a "
			   "network that connects them by --interface or "
			   "--address",
			   names[0], names[count - 1]);
}

enum stn_err
stn_addresses_choose(const struct stn_addresses *const *all, size_t count,
		     const uint32_t *hosts, const char *const *names,
		     uint8_t *which, struct stn_why *why)
{
	struct candidate_network best = { .whole = false };
	uint8_t *trial = calloc(count, sizeof(trial[0]));

	if (!trial)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < all[0]->count; i++) {
		struct candidate_network choice =
			choose_network(all, count, &all[0]->at[i], trial);

		if (!choice.whole || !addresses_is_better(&choice, &best) ||
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
		return explain_no_network(all, count, names, why);
	return check_distinct(all, count, hosts, names, which, why);
}
