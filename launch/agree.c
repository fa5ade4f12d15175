#include "launch/agree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/card.h"
#include "node/setting.h"
#include "transport/units.h"

#define SHOWN_BYTES 60 /* of a setting, shown in a message */

static void
print_stealing(const struct stn_config *config, FILE *out)
{
	struct stn_setting_ref at;

	fprintf(out, "STN_BALANCER=%s\n", config->balancer);
	fprintf(out, "STN_SCHEDULER=%s\n", config->scheduler);
	for (size_t i = stn_config_table.count; stn_setting_at(config, i, &at);
	     i++) {
		char name[STN_VARIABLE_BYTES], text[STN_SETTING_BYTES];

		stn_setting_variable(at.setting, name);
		stn_setting_print(config, &at, text);
		fprintf(out, "%s=%s\n", name, text);
	}
	fprintf(out, "STN_STATS=%d\n", config->stats.wanted);
	/* The file's name matters to the root only. */
	fprintf(out, "STN_TRACE=%s\n",
		stn_config_traces_tasks(config) ? "tasks"
		: stn_config_traces(config)	? "yes"
						: "none");
	fprintf(out, "STN_SURVIVE=%s\n", config->survive);
}

static void
agree_print_network(const struct stn_config *config, FILE *out)
{
	char wan[STN_LINK_BYTES];

	stn_print_link(&config->wan, wan);
	fprintf(out, "STN_CLUSTERS=%s\n", config->sizes);
	fprintf(out, "STN_WAN=%s\n", wan);
	fprintf(out, "STN_LINKS=%s\n", config->links);
	fprintf(out, "STN_TRANSPORT=%s\n", config->transport);
	fprintf(out, "STN_PROVIDER=%s\n", config->provider);
	fprintf(out, "STN_NEAR=%s\n", config->near);
}

/*
 * Returns one line for each setting, after a line with the version. The caller
 * frees the text. NULL: no memory.
 */
static char *
write_settings(const struct stn_config *config, bool local)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fprintf(out, "settings of version %d\n", STN_WIRE_VERSION);
	print_stealing(config, out);
	if (local)
		agree_print_network(config, out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int
line_length(const char *text)
{
	int length = (int)strcspn(text, "\n");

	return length < SHOWN_BYTES ? length : SHOWN_BYTES;
}

static bool
is_setting(const char *line)
{
	return !strncmp(line, "STN_", 4);
}

/* @ours and @theirs point to the first lines that differ. */
static enum stn_err
describe_difference(const char *ours, const char *theirs, uint32_t rank,
		    bool local, struct stn_why *why)
{
	if (!is_setting(ours) || !is_setting(theirs))
		return stn_because(why, STN_INVALID,
				   "node %" PRIu32 " was built with another "
				   "version of Sateen; rebuild it",
				   rank);
	return stn_because(
		why, STN_INVALID,
		"node %" PRIu32 " has %.*s, node 0 has %.*s; give "
		"all nodes the same%s",
		rank, line_length(theirs), theirs, line_length(ours), ours,
		local ? " (mpirun hands a variable on by -x NAME)" : "");
}

enum stn_err
stn_agree_check(const char *ours, const struct stn_card *card, uint32_t rank,
		bool local, struct stn_why *why)
{
	char *text = strndup((const char *)card->bytes, card->size);
	size_t line = 0;
	enum stn_err err;

	if (!text)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (size_t i = 0; ours[i] && ours[i] == text[i]; i++)
		if (ours[i] == '\n')
			line = i + 1;
	if (strlen(ours) == card->size && !strcmp(ours, text))
		err = STN_OK;
	else
		err = describe_difference(ours + line, text + line, rank, local,
					  why);
	free(text);
	return err;
}

/*
 * All nodes compare the same cards in the same order, so all return the same
 * error. If only some nodes did, the others would wait in the next round for
 * ever.
 */
static enum stn_err
agree_compare(const struct stn_card *cards, uint32_t nodes, bool local,
	      struct stn_why *why)
{
	char *first = strndup((const char *)cards[0].bytes, cards[0].size);
	enum stn_err err = STN_OK;

	if (!first)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	for (uint32_t i = 1; !err && i < nodes; i++)
		err = stn_agree_check(first, &cards[i], i, local, why);
	free(first);
	return err;
}

enum stn_err
stn_agree(struct stn_wireup *wireup, uint32_t nodes, uint32_t rank,
	  const struct stn_config *config, bool local, struct stn_why *why)
{
	struct stn_card *cards = calloc(nodes, sizeof(cards[0]));
	char *ours = write_settings(config, local);
	enum stn_err err;

	if (cards && ours)
		err = stn_wireup_exchange(wireup, rank, ours, strlen(ours),
					  cards, why);
	else
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	if (!err)
		err = agree_compare(cards, nodes, local, why);
	free(ours);
	free(cards);
	return err;
}
