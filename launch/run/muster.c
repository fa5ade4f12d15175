#include "launch/run/muster.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/config_check.h"
#include "launch/gateway/host_port.h"
#include "launch/run/agents.h"
#include "launch/run/descriptors.h"
#include "launch/run/muster_private.h"
#include "transport/far/uplink.h"

/* What the processes of a muster know during it. */
struct assembly {
	struct stn_wireup *wireup;
	const struct stn_config *config;
	struct stn_card *shown; /* of the last round */
	struct stn_muster_card mine, *cards;
	int listener; /* in process 0; or -1 */
	bool connected;
	struct stn_why why; /* if not: the reason, if this process has one */
};

/* Sets options of a connection between agents. */
static void
set_options(int fd, const struct stn_config *config)
{
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	stn_keepalive_set(fd, config->silence_ns, false);
}

static bool
listen_anywhere(struct assembly *assembly)
{
	const struct stn_host_port any = { .address = in6addr_any };
	uint16_t first = 0, last = 0;

	if (!stn_config_ports(assembly->config, &first, &last))
		return false;
	return !stn_listen(&any, 1, first, last, &assembly->listener,
			   &assembly->mine.port, &assembly->why);
}

/* Fills in this process's card. Process 0 begins to listen. */
static void
present(struct assembly *assembly, uint32_t rank)
{
	const struct stn_address_filter filter = { assembly->config->interface,
						   assembly->config->address };
	struct stn_muster_card *mine = &assembly->mine;
	struct stn_addresses addresses;
	struct stn_survey survey;

	stn_survey_take(&survey);
	memcpy(mine->identity, survey.identity, sizeof(mine->identity));
	memcpy(mine->host, survey.host, sizeof(mine->host));
	mine->able = getrandom(mine->token, sizeof(mine->token), 0) ==
			     sizeof(mine->token) &&
		     (rank || listen_anywhere(assembly));
	/* Processes of one host need none, so a bad filter is no failure. */
	if (stn_addresses_discover(&filter, &addresses, NULL))
		return;
	mine->count = addresses.count;
	memcpy(mine->addresses, addresses.at, sizeof(mine->addresses));
}

/* Can all processes be agents? All come to the same conclusion. */
static bool
read_cards(struct assembly *assembly, uint32_t nodes)
{
	for (uint32_t i = 0; i < nodes; i++)
		if (stn_muster_card_read(&assembly->shown[i],
					 &assembly->cards[i]) ||
		    !assembly->cards[i].able)
			return false;
	return true;
}

/* The first round: each process gets all cards. */
static enum stn_err
show_cards(struct assembly *assembly, const struct stn_muster *muster,
	   struct stn_why *why)
{
	unsigned char bytes[STN_MUSTER_CARD_BYTES];
	struct stn_muster_card card = assembly->mine;
	size_t size;

	if (muster->rank)
		card.count = 0; /* no process connects to this one */
	size = stn_muster_card_write(&card, bytes);
	return stn_wireup_exchange(assembly->wireup, muster->rank, bytes, size,
				   assembly->shown, why);
}

static void
muster_meet(struct assembly *assembly, struct stn_muster *muster)
{
	if (!muster->rank) {
		assembly->connected =
			muster_accept(assembly->listener, assembly->cards,
				      muster->nodes, muster->sockets);
		return;
	}
	muster->socket = muster_connect(&assembly->cards[0], &assembly->mine,
					muster->rank, &assembly->why);
	assembly->connected = muster->socket >= 0;
}

/*
 * The second round: each process shows why it is not connected, or an empty
 * card. The reason of process 0 counts only if there is no other, and a process
 * that has none of its own shows a dash.
 */
static enum stn_err
compare_notes(struct assembly *assembly, const struct stn_muster *muster,
	      struct stn_why *why)
{
	const char *mine = *assembly->why.text ? assembly->why.text : "-";
	const struct stn_card *shown = assembly->shown;
	enum stn_err err;

	if (assembly->connected)
		mine = "";
	err = stn_wireup_exchange(assembly->wireup, muster->rank, mine,
				  strlen(mine), assembly->shown, why);
	if (err)
		return err;
	for (uint32_t i = muster->nodes; i--;) {
		if (shown[i].size && !err)
			err = stn_because(why, STN_MISSING,
					  "not all processes can connect to "
					  "process 0");
		if (shown[i].size > 1)
			return stn_because(why, STN_MISSING, "%.*s",
					   (int)shown[i].size,
					   (const char *)shown[i].bytes);
	}
	return err;
}

/* Process 0 keeps the name of each process's host. */
static enum stn_err
note_hosts(const struct assembly *assembly, struct stn_muster *muster)
{
	const struct stn_muster_card *cards = assembly->cards;
	struct stn_hosts *hosts = &muster->hosts;

	muster->one_host = true;
	hosts->list = calloc(muster->nodes, sizeof(hosts->list[0]));
	for (uint32_t i = 0; hosts->list && i < muster->nodes; i++) {
		hosts->list[i].name = strdup(cards[i].host);
		if (!hosts->list[i].name)
			return STN_NO_MEMORY;
		hosts->list[i].nodes = 1;
		hosts->count++;
		if (!stn_identity_same_host(cards[i].identity,
					    cards[0].identity))
			muster->one_host = false;
	}
	return hosts->list ? STN_OK : STN_NO_MEMORY;
}

static enum stn_err
prepare_muster(struct assembly *assembly, struct stn_muster *muster)
{
	uint32_t nodes = muster->nodes;

	assembly->shown = calloc(nodes, sizeof(assembly->shown[0]));
	assembly->cards = calloc(nodes, sizeof(assembly->cards[0]));
	if (!assembly->shown || !assembly->cards)
		return STN_NO_MEMORY;
	if (muster->rank)
		return STN_OK;
	stn_descriptors_raise_limit(STN_AGENTS_FDS * (size_t)nodes);
	muster->sockets = calloc(nodes, sizeof(muster->sockets[0]));
	for (uint32_t i = 0; muster->sockets && i < nodes; i++)
		muster->sockets[i] = -1;
	return muster->sockets ? STN_OK : STN_NO_MEMORY;
}

static enum stn_err
assemble(struct assembly *assembly, struct stn_muster *muster,
	 struct stn_why *why)
{
	enum stn_err err;

	present(assembly, muster->rank);
	if (prepare_muster(assembly, muster))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = show_cards(assembly, muster, why);
	if (err)
		return err;
	if (read_cards(assembly, muster->nodes))
		muster_meet(assembly, muster);
	if (!muster->rank && note_hosts(assembly, muster)) {
		assembly->connected = false;
		stn_because(&assembly->why, STN_NO_MEMORY, "out of memory");
	}
	return compare_notes(assembly, muster, why);
}

enum stn_err
stn_muster_hold(struct stn_wireup *wireup, uint32_t rank, uint32_t nodes,
		const struct stn_config *config, struct stn_muster *muster,
		struct stn_why *why)
{
	struct assembly assembly = { .wireup = wireup,
				     .config = config,
				     .listener = -1 };
	enum stn_err err;

	*muster = (struct stn_muster){ .rank = rank,
				       .nodes = nodes,
				       .socket = -1 };
	err = assemble(&assembly, muster, why);
	for (uint32_t i = 1; !err && muster->sockets && i < nodes; i++)
		set_options(muster->sockets[i], config);
	if (!err && rank)
		set_options(muster->socket, config);
	stn_descriptor_close(&assembly.listener);
	free(assembly.shown);
	free(assembly.cards);
	if (err)
		stn_muster_fini(muster);
	return err;
}

void
stn_muster_fini(struct stn_muster *muster)
{
	stn_descriptor_close(&muster->socket);
	for (uint32_t i = 0; muster->sockets && i < muster->nodes; i++)
		stn_descriptor_close(&muster->sockets[i]);
	free(muster->sockets);
	muster->sockets = NULL;
	stn_hosts_fini(&muster->hosts);
}
