#include "steal/keepers.h"

#include "transport/transport.h"

/*
 * A call must have taken this long for its result to be sent, and this much
 * longer for each byte of the result.
 */
#define LEAST_NS 10000000ull
#define WIDE_NS_PER_BYTE 1000000ull
#define NEAR_NS_PER_BYTE 1000ull

uint32_t
stn_keepers_wide(const struct stn_node *node, uint32_t copy)
{
	const struct stn_members *members = &node->members;
	uint32_t number = stn_members_number(members, node->rank);
	uint32_t all = node->topology->clusters;

	/* The nodes of a cluster share the other clusters. */
	copy = (copy + number) % (members->clusters - 1);
	for (uint32_t i = 1; i < all; i++) {
		uint32_t cluster = (node->cluster + i) % all;

		if (stn_members_in(members, cluster) && !copy--)
			return stn_members_at(
				members, cluster,
				number % stn_members_in(members, cluster));
	}
	return STN_NOBODY;
}

/* The node of this cluster that is @ahead places behind this one's, in turn. */
static uint32_t
rank_ahead(const struct stn_node *node, uint32_t ahead)
{
	uint32_t size = stn_cluster_size(node->topology, node->cluster);
	uint32_t number = stn_cluster_number(node->topology, node->rank);

	return stn_cluster_rank(node->topology, node->cluster,
				(number + ahead) % size);
}

/* Whether a node of this cluster lives, and may be lost with this host. */
static bool
is_beside(const struct stn_node *node, uint32_t rank)
{
	return stn_members_has(&node->members, rank) &&
	       stn_transport_same_host(node->transport, rank);
}

/*
 * How many nodes of this host come directly before this one: launchers give the
 * nodes of a host consecutive ranks.
 */
static uint32_t
count_before(const struct stn_node *node)
{
	uint32_t size = stn_cluster_size(node->topology, node->cluster);
	uint32_t number = stn_cluster_number(node->topology, node->rank);
	uint32_t count = 0;

	while (count < number &&
	       is_beside(node, rank_ahead(node, size - count - 1)))
		count++;
	return count;
}

/*
 * The nodes of this host share the nodes of other hosts that follow. If there
 * is no other host, the next node of this one.
 */
uint32_t
stn_keepers_near(const struct stn_node *node)
{
	uint32_t size = stn_cluster_size(node->topology, node->cluster);
	uint32_t skip = count_before(node);
	uint32_t beside = STN_NOBODY, other = STN_NOBODY;

	for (uint32_t i = 1; i < size; i++) {
		uint32_t rank = rank_ahead(node, i);

		if (is_beside(node, rank)) {
			if (beside == STN_NOBODY)
				beside = rank;
		} else if (stn_members_has(&node->members, rank)) {
			other = rank;
			if (!skip--)
				break;
		}
	}
	return other != STN_NOBODY ? other : beside;
}

bool
stn_keepers_apart(const struct stn_node *node, uint32_t home)
{
	if (node->leaving)
		return stn_members_stays(&node->members, home);
	if (home == node->rank)
		return false;
	if (node->members.clusters > 1)
		return stn_node_is_wide(node, home);
	return !is_beside(node, home) ||
	       is_beside(node, stn_keepers_near(node));
}

static bool
is_worth(uint64_t spent_ns, size_t bytes, uint64_t ns_per_byte)
{
	return spent_ns >= LEAST_NS &&
	       (spent_ns - LEAST_NS) / ns_per_byte >= bytes;
}

bool
stn_keepers_worth_wide(uint64_t spent_ns, size_t bytes)
{
	return is_worth(spent_ns, bytes, WIDE_NS_PER_BYTE);
}

bool
stn_keepers_worth_near(uint64_t spent_ns, size_t bytes)
{
	return is_worth(spent_ns, bytes, NEAR_NS_PER_BYTE);
}
