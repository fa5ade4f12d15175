#include "node/setting.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "node/clusters.h"
#include "transport/units.h"

size_t
stn_setting_count(const struct stn_config *config)
{
	size_t count = 0;

	for (size_t i = 0; i < config->table_count; i++)
		count += config->tables[i]->count;
	return count;
}

/* The place of the values of a table's settings. */
static char *
values_of(const struct stn_config *config,
	  const struct stn_setting_table *table)
{
	size_t used = 0;

	if (!table->bytes)
		return (char *)(uintptr_t)config;
	for (size_t i = 0; config->tables[i] != table; i++)
		used += config->tables[i]->bytes;
	assert(used + table->bytes <= sizeof(config->own));
	return (char *)(uintptr_t)config->own + used;
}

bool
stn_setting_at(const struct stn_config *config, size_t number,
	       struct stn_setting_ref *ref)
{
	for (size_t i = 0; i < config->table_count; i++) {
		const struct stn_setting_table *table = config->tables[i];

		if (number < table->count) {
			ref->setting = &table->rows[number];
			ref->place =
				values_of(config, table) + ref->setting->offset;
			return true;
		}
		number -= table->count;
	}
	return false;
}

const void *
stn_config_own(const struct stn_config *config,
	       const struct stn_setting_table *table)
{
	return values_of(config, table);
}

static size_t
text_room(const struct stn_setting *setting)
{
	return setting->most ? setting->most : STN_TEXT_BYTES;
}

static enum stn_err
set_text(const struct stn_setting *setting, char *place, const char *text)
{
	if (!*text || strlen(text) >= text_room(setting))
		return STN_INVALID;
	strcpy(place, text);
	return STN_OK;
}

static enum stn_err
set_stats(struct stn_stats_to *to, const char *text)
{
	const char *file = strncmp(text, "json:", 5) ? "" : text + 5;

	if (strcmp(text, "0") && strcmp(text, "1") && !*file)
		return STN_INVALID;
	if (strlen(file) >= sizeof(to->json))
		return STN_INVALID;
	to->wanted = strcmp(text, "0");
	strcpy(to->json, file);
	return STN_OK;
}

static enum stn_err
setting_parse_nodes(const struct stn_setting *setting, const char *text,
		    struct stn_config *config)
{
	enum stn_err err = stn_parse_count(text, setting->least, setting->most,
					   &config->nodes);

	if (!err)
		config->asked_nodes = config->nodes;
	return err;
}

static enum stn_err
parse_clusters(const struct stn_setting *setting, const char *text,
	       struct stn_config *config)
{
	uint64_t clusters, nodes;

	if (strlen(text) >= sizeof(config->sizes) ||
	    stn_clusters_parse(text, setting->most, &clusters, &nodes))
		return STN_INVALID;
	strcpy(config->sizes, text);
	config->clusters = clusters;
	if (nodes)
		config->nodes = nodes;
	return STN_OK;
}

static enum stn_err
setting_parse_link(const struct stn_setting *setting, const char *text,
		   void *place)
{
	struct stn_link link;
	enum stn_err err = stn_parse_link(text, &link);

	if (!err && link.latency_ns < setting->least)
		err = STN_INVALID;
	if (!err)
		*(struct stn_link *)place = link;
	return err;
}

static enum stn_err
parse_value(const struct stn_setting_ref *ref, const char *text,
	    struct stn_config *config)
{
	const struct stn_setting *setting = ref->setting;
	void *place = ref->place;
	enum stn_err err;
	uint64_t value;

	switch (setting->type) {
	case COUNT:
		return stn_parse_count(text, setting->least, setting->most,
				       place);
	case NODES:
		return setting_parse_nodes(setting, text, config);
	case CLUSTERS:
		return parse_clusters(setting, text, config);
	case DURATION:
		err = stn_parse_duration(text, &value);
		if (!err && value < setting->least)
			err = STN_INVALID;
		if (!err)
			*(uint64_t *)place = value;
		return err;
	case BYTES:
		err = stn_parse_bytes(text, &value);
		if (!err && (value < setting->least || value > setting->most))
			err = STN_INVALID;
		if (!err)
			*(uint64_t *)place = value;
		return err;
	case LINK:
		return setting_parse_link(setting, text, place);
	case TEXT:
		return set_text(setting, place, text);
	case STATS:
		return set_stats(place, text);
	}
	return STN_INVALID;
}

#define DESCRIPTION_BYTES 160

static void
describe_number(const struct stn_setting *setting, char *text)
{
	bool of = setting->type != BYTES && strcmp(setting->unit, "number");

	snprintf(text, DESCRIPTION_BYTES,
		 "%s%s%s from %" PRIu64 " to %" PRIu64 "%s",
		 setting->type == BYTES ? "a size" : "a number",
		 of ? " of " : "", of ? setting->unit : "", setting->least,
		 setting->most,
		 setting->type == BYTES ? " bytes, in " STN_BYTES_UNITS : "");
}

static void
describe_clusters(const char *said, char *text)
{
	if (strlen(said) >= STN_PATH_BYTES)
		snprintf(text, DESCRIPTION_BYTES,
			 "a text of %d letters at most", STN_PATH_BYTES - 1);
	else
		strcpy(text, "a number of clusters, or 4x16, or sizes: 8,2,4");
}

static void
describe_duration(const struct stn_setting *setting, char *text)
{
	if (setting->least)
		snprintf(text, DESCRIPTION_BYTES,
			 "a time from %" PRIu64 "us on, in " STN_DURATION_UNITS,
			 setting->least / 1000);
	else
		strcpy(text, "a time in " STN_DURATION_UNITS);
}

static void
describe_link(const struct stn_setting *setting, char *text)
{
	snprintf(text, DESCRIPTION_BYTES,
		 "a link %s; times in " STN_DURATION_UNITS
		 ", rates in " STN_RATE_UNITS,
		 setting->least ? "that takes time, such as 10us,1GB/s"
				: "such as 100ms,100KB/s,5ms,2% or none");
}

/* Describes the values that a setting can have, after the wrong value @said. */
static void
setting_describe(const struct stn_setting *setting, const char *said,
		 char text[DESCRIPTION_BYTES])
{
	switch (setting->type) {
	case COUNT:
	case NODES:
	case BYTES:
		describe_number(setting, text);
		break;
	case CLUSTERS:
		describe_clusters(said, text);
		break;
	case DURATION:
		describe_duration(setting, text);
		break;
	case LINK:
		describe_link(setting, text);
		break;
	case TEXT:
		snprintf(text, DESCRIPTION_BYTES, "a text of 1 to %zu letters",
			 text_room(setting) - 1);
		break;
	case STATS:
		strcpy(text, "0, 1, or json: and a file's name");
		break;
	}
}

enum stn_err
stn_setting_set(struct stn_config *config, const struct stn_setting_ref *ref,
		const char *text, struct stn_why *why)
{
	const struct stn_setting *setting = ref->setting;
	char wanted[DESCRIPTION_BYTES];

	if (!parse_value(ref, text, config))
		return STN_OK;
	setting_describe(setting, text, wanted);
	return stn_because(
		why, STN_INVALID, "%s: \"%.60s\" is not %s (%s; default %s)",
		setting->name, text, wanted, setting->help, setting->preset);
}

void
stn_setting_variable(const struct stn_setting *setting,
		     char name[STN_VARIABLE_BYTES])
{
	char *to = stpcpy(name, "STN_");

	for (const char *from = setting->name; *from; from++)
		*to++ = *from == '-' ? '_'
				     : (char)toupper((unsigned char)*from);
	*to = '\0';
}

void
stn_setting_print(const struct stn_config *config,
		  const struct stn_setting_ref *ref,
		  char text[STN_SETTING_BYTES])
{
	const void *place = ref->place;
	const struct stn_stats_to *stats = place;
	const uint64_t *number = place;

	switch (ref->setting->type) {
	case COUNT:
	case NODES:
	case BYTES:
		snprintf(text, STN_SETTING_BYTES, "%" PRIu64, *number);
		break;
	case CLUSTERS:
		snprintf(text, STN_SETTING_BYTES, "%s", config->sizes);
		break;
	case DURATION:
		snprintf(text, STN_SETTING_BYTES, "%" PRIu64 "ns", *number);
		break;
	case LINK:
		stn_print_link(place, text);
		break;
	case TEXT:
		snprintf(text, STN_SETTING_BYTES, "%s", (const char *)place);
		break;
	case STATS:
		snprintf(text, STN_SETTING_BYTES, "%s%s",
			 *stats->json	 ? "json:"
			 : stats->wanted ? "1"
					 : "0",
			 stats->json);
		break;
	}
}
