#include "launch/meet.h"

#include <stdlib.h>

#include "launch/card.h"
#include "launch/config_check.h"
#include "launch/open.h"
#include "launch/wireup/wireup.h"

struct stn_opening
stn_meet_opening(const struct stn_config *config,
		 const struct stn_topology *topology, uint32_t rank)
{
	uint16_t first = 0, last = 0;

	if (!stn_config_ports(config, &first, &last))
		first = 0; /* can't fail: it was checked */
	return (struct stn_opening){
		.topology = topology,
		.rank = rank,
		.provider = config->provider,
		.device = config->device,
		.address = stn_config_address(config),
		.port = first ? (uint16_t)(first + rank % (last - first + 1u))
			      : 0,
		.silence_ns = config->silence_ns,
	};
}

enum stn_err
stn_meet_open(const struct stn_config *config, uint32_t index,
	      struct stn_sim *sim, struct stn_opening *opening,
	      struct stn_transport **transport_p, struct stn_why *why)
{
	const char *name = stn_config_transport(config);
	enum stn_err err = STN_IN_USE;
	uint16_t first = 0, last = 0;
	uint32_t count;

	if (!stn_config_ports(config, &first, &last) || !first)
		return stn_open_transport(name, sim, opening, transport_p, why);
	count = last - first + 1u;
	for (uint32_t i = 0; i < count && err == STN_IN_USE; i++) {
		opening->port = (uint16_t)(first + (index + i) % count);
		err = stn_open_transport(name, sim, opening, transport_p, why);
	}
	if (err == STN_IN_USE && count > 1)
		stn_because(why, err,
			    "all ports %s of %s are in use; widen --ports",
			    config->ports, opening->address);
	return err;
}

/* Compares one card with this node's, and connects to its address. */
static enum stn_err
meet_greet(struct stn_transport *transport, uint32_t rank,
	   const struct stn_card *card, const char *tasks, struct stn_why *why)
{
	struct stn_card_content content;
	enum stn_err err = stn_card_read(card, rank, &content, why);

	if (err)
		return err;
	err = stn_table_agree(tasks, content.tasks, rank, why);
	if (!err)
		err = stn_transport_connect(transport, rank, content.address,
					    content.address_bytes, why);
	free(content.tasks);
	return err;
}

/* Sends this node's card; @cards gets the cards of all nodes. */
static enum stn_err
meet_show(struct stn_wireup *wireup, uint32_t rank, const char *tasks,
	  struct stn_transport *transport, struct stn_card *cards,
	  struct stn_why *why)
{
	unsigned char address[STN_ADDRESS_BYTES];
	size_t size = stn_transport_address(transport, address);
	unsigned char *card = stn_card_write(address, size, tasks, &size);
	enum stn_err err;

	if (!card)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = stn_wireup_exchange(wireup, rank, card, size, cards, why);
	free(card);
	return err;
}

enum stn_err
stn_meet_late(uint32_t rank, const struct stn_card *card,
	      const struct stn_table *table, struct stn_transport *transport,
	      struct stn_why *why)
{
	char *tasks = stn_table_text(table);
	enum stn_err err;

	if (!tasks)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = meet_greet(transport, rank, card, tasks, why);
	free(tasks);
	return err;
}

enum stn_err
stn_meet(struct stn_wireup *wireup, uint32_t rank, const struct stn_table *table,
	 struct stn_transport *transport, struct stn_why *why)
{
	uint32_t nodes = stn_wireup_nodes(wireup);
	struct stn_card *cards = calloc(nodes, sizeof(cards[0]));
	char *tasks = stn_table_text(table);
	enum stn_err err;

	if (tasks && cards)
		err = meet_show(wireup, rank, tasks, transport, cards, why);
	else
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	for (uint32_t i = 0; !err && i < nodes; i++)
		if (i != stn_wireup_number(wireup, rank))
			err = meet_greet(transport, stn_wireup_rank(wireup, i),
					 &cards[i], tasks, why);
	free(tasks);
	free(cards);
	return err;
}
