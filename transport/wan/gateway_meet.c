/*
 * gateway_meet.c: finds the gateways of the other clusters at the meeting
 * point, and calls them, as they call us: a firewall may let only one of both
 * through. gateway_trunk.c decides which connection stays.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/transport.h"
#include "transport/wan/gateway_own.h"

#define LOOK_NS (STN_SECOND_NS / 4)
#define CALL_AGAIN_NS (STN_SECOND_NS / 5)
#define LISTED_MOST 3 /* places of a gateway that can't be reached */
#define LISTED_BYTES (LISTED_MOST * STN_PLACE_BYTES + 8)
#define CALL_MOST_NS (20 * STN_SECOND_NS) /* for which calls go on */

struct party *
gateway_find(struct gateway *gateway, const char *name)
{
	for (uint32_t i = 0; i < gateway->known; i++)
		if (!strcmp(gateway->parties[i].name, name))
			return &gateway->parties[i];
	return NULL;
}

/* What somebody has left at the meeting point. */
static void
see(void *arg, const char *cluster, const char *text, size_t size)
{
	struct gateway *gateway = arg;
	uint32_t clusters = gateway->options->clusters;
	struct stn_entry entry;
	struct party *party;

	if (!stn_name_good(cluster) || stn_entry_read(text, size, &entry))
		return; /* nobody of ours */
	if (entry.clusters != clusters) {
		gateway_fail(gateway,
			     "cluster %s expects %u clusters in this run, and "
			     "we expect %u; give all the same --clusters",
			     cluster, entry.clusters, clusters);
		return;
	}
	if (gateway->known == clusters) {
		gateway_fail(gateway,
			     "more than %u clusters have come, also %s; raise "
			     "--clusters",
			     clusters, cluster);
		return;
	}
	party = &gateway->parties[gateway->known++];
	memset(party, 0, sizeof(*party));
	strcpy(party->name, cluster);
	party->entry = entry;
}

static int
by_name(const void *one, const void *other)
{
	return strcmp(((const struct party *)one)->name,
		      ((const struct party *)other)->name);
}

/* All have come: now they have numbers, and can be called. */
static void
complete(struct gateway *gateway)
{
	uint64_t now = gateway_now();

	qsort(gateway->parties, gateway->known, sizeof(gateway->parties[0]),
	      by_name);
	gateway->mine =
		(uint32_t)(gateway_find(gateway, gateway->options->cluster) -
			   gateway->parties);
	if (stn_switch_init(&gateway->hub, &gateway_switch_calls, gateway,
			    gateway->mine, gateway->known)) {
		gateway_fail(gateway, "out of memory");
		return;
	}
	gateway->give_up_ns = now + (gateway->options->wait_ns < CALL_MOST_NS
					     ? gateway->options->wait_ns
					     : CALL_MOST_NS);
	/* Some may have called, and said who they are, before. */
	for (struct guest *at = gateway->guests, *next; at; at = next) {
		next = at->next;
		/* One that is chosen makes others of its cluster leave. */
		if (!at->watch.dead &&
		    (at->state == GUEST_SPEAKS || at->state == GUEST_WAITS))
			gateway_heard(gateway, at);
	}
}

/* What a run of that name has left there may keep us out for a while. */
static void
enter(struct gateway *gateway)
{
	if (stn_meeting_enter(gateway->meeting, &gateway->entry,
			      &gateway->entered, &gateway->kept_out))
		gateway_fail(gateway, "%s", gateway->kept_out.text);
}

static void
ask(struct gateway *gateway)
{
	struct stn_why why = { "" };

	gateway->known = 0;
	if (stn_meeting_look(gateway->meeting, see, gateway, &why))
		gateway_fail(gateway, "%s", why.text);
	else if (!gateway_find(gateway, gateway->options->cluster))
		gateway_fail(gateway, "somebody removes what we leave at the "
				      "Redis server");
	else if (gateway->known == gateway->options->clusters)
		complete(gateway);
}

static void
say_who_is_missing(struct gateway *gateway)
{
	if (!gateway->entered) {
		gateway_fail(gateway, "%s", gateway->kept_out.text);
		return;
	}
	gateway_fail(gateway,
		     "of %u clusters, %u have come within %llu s; start the "
		     "others with the same --run and --at, or raise --wait",
		     gateway->options->clusters, gateway->known,
		     (unsigned long long)(gateway->options->wait_ns /
					  STN_SECOND_NS));
}

/* The first of its places, as many as a line has room for. */
static void
list_places(const struct stn_entry *entry, char text[LISTED_BYTES])
{
	char *at = text;
	size_t i;

	for (i = 0; i < entry->count && i < LISTED_MOST; i++) {
		if (i)
			*at++ = ' ';
		stn_place_write(at, &entry->places[i]);
		at += strlen(at);
	}
	if (i < entry->count)
		strcpy(at, " ...");
}

static const char *
advice(const struct party *party)
{
	if (strstr(party->last.text, "secret"))
		return "give all the same --secret-file";
	return "let one of them through a firewall (--ports), or name the "
	       "right one (--address)";
}

static void
say_unreachable(struct gateway *gateway, const struct party *party)
{
	char places[LISTED_BYTES] = "";

	list_places(&party->entry, places);
	gateway_fail(gateway,
		     "no connection with cluster %s: called %s in vain (%s), "
		     "nor did it reach us at port %u; %s",
		     party->name, places,
		     *party->last.text ? party->last.text : "no answer",
		     gateway->outside_port, advice(party));
}

/* The next of its addresses. */
static void
call(struct gateway *gateway, struct party *party, uint64_t now)
{
	const struct stn_entry *entry = &party->entry;

	party->calling = gateway_call(
		gateway, party->name,
		&entry->places[party->next_place++ % entry->count]);
	party->call_at_ns = now + CALL_AGAIN_NS;
}

static void
call_all(struct gateway *gateway, uint64_t now)
{
	for (uint32_t i = 0; i < gateway->known; i++) {
		struct party *party = &gateway->parties[i];

		if (i == gateway->mine || party->trunk)
			continue;
		if (now > gateway->give_up_ns) {
			say_unreachable(gateway, party);
			return;
		}
		if (!party->calling && now > party->call_at_ns)
			call(gateway, party, now);
	}
}

void
gateway_look(struct gateway *gateway, uint64_t now)
{
	bool all = gateway->known == gateway->options->clusters;

	if (all)
		stn_meeting_tend(gateway->meeting);
	if (gateway->begun || gateway->failed)
		return;
	if (all) {
		call_all(gateway, now);
	} else if (now > gateway->give_up_ns) {
		say_who_is_missing(gateway);
	} else if (now >= gateway->look_ns) {
		if (!gateway->entered)
			enter(gateway);
		if (gateway->entered)
			ask(gateway);
		gateway->look_ns = now + LOOK_NS;
	}
}
