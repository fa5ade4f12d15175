#include "steal/config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "steal/join/clusters.h"
#include "transport/units.h"

enum type { COUNT, NODES, CLUSTERS, DURATION, BYTES, LINK, TEXT, STATS };

struct setting {
	const char *name;
	char letter; /* of the short option, or 0 */
	enum type type;
	size_t offset;
	const char *preset;
	uint64_t least, most; /* of a count or a size; least, of a time; */
	/*   most, of a text: room, or STN_TEXT_BYTES */
	const char *unit;
	const char *help;
};

#define VALUE_BYTES (STN_PATH_BYTES + 8) /* of any setting, as text */
#define AT(member) offsetof(struct stn_config, member)

static const struct setting settings[] = {
	{ "nodes", 'n', NODES, AT(nodes), "1", 1, 100000, "nodes",
	  "processes of the run" },
	{ "clusters", 'c', CLUSTERS, AT(clusters), "1", 1, 100000,
	  "C, CxN, N,N...",
	  "C that share the nodes out, in order of rank; or N nodes in each" },
	{ "wan", 0, LINK, AT(wan), "none", 0, 0, "link",
	  "emulated, between clusters: LATENCY[,RATE[,JITTER]], one way" },
	{ "links", 0, TEXT, AT(links), "none", 0, STN_PATH_BYTES, "file",
	  "of links that differ: lines of FROM TO LATENCY[,RATE[,JITTER]]" },
	{ "balancer", 'b', TEXT, AT(balancer), "crs", 0, 0, "name",
	  "where an idle node looks for work" },
	{ "workers", 'w', COUNT, AT(workers), "0", 0, 4096, "threads",
	  "of each node; 0: the host's cores shared out, at least 1" },
	{ "transport", 't', TEXT, AT(transport), "auto", 0, 0, "name",
	  "shm, ofi, ucx, verbs, loop; auto: shm, or ofi if it is told more" },
	{ "provider", 'p', TEXT, AT(provider), "auto", 0, 0, "name",
	  "of ofi: tcp, net, shm, verbs; of ucx: tcp, posix; of verbs: a "
	  "device" },
	{ "address", 0, TEXT, AT(address), STN_LOCALHOST, 0, 0, "host",
	  "to listen on, for providers over IP" },
	{ "port", 0, COUNT, AT(port), "0", 0, 65535, "port",
	  "of node 0, node r has port + r; 0: any that is free" },
	{ "slots", 0, COUNT, AT(slots), "65536", 1, 1 << 24, "records",
	  "in each worker's deque; when full, spawns become calls" },
	{ "stack", 0, BYTES, AT(stack_bytes), "256MiB", 65536, 1ull << 40,
	  "bytes", "of each worker; only what is used is touched" },
	{ "pin", 0, TEXT, AT(pin), "auto", 0, 0, "yes, no",
	  "workers to cores; auto: where they fill the host" },
	{ "spin", 0, DURATION, AT(spin_ns), "20us", 0, 0, "time",
	  "for which an idle worker polls before it sleeps" },
	{ "backoff", 0, DURATION, AT(backoff_ns), "1ms", 0, 0, "time",
	  "longest pause after refused synchronous steals; 0: none" },
	{ "silence", 0, DURATION, AT(silence_ns), "4s", 0, 0, "time",
	  "after which a node on another host counts as dead; 0s: never" },
	{ "rp-threshold", 0, COUNT, AT(rp_threshold), "8", 1, 4096, "records",
	  "a longer queue sends its oldest away" },
	{ "rp-limit", 0, COUNT, AT(rp_limit), "16", 1, 4096, "records",
	  "that a node has in transit at most" },
	{ "chs-fanout", 0, COUNT, AT(chs_fanout), "2", 1, 4096, "nodes",
	  "children of a node in its cluster's tree" },
	{ "cls-threshold", 0, COUNT, AT(cls_threshold), "8", 1, 4096, "records",
	  "a cluster with fewer queued fetches from others" },
	{ "cls-interval", 0, DURATION, AT(cls_interval_ns), "10ms", 100000, 0,
	  "time", "between looks of a node at its load" },
	{ "lan", 0, LINK, AT(lan), "10us,1GB/s", 1, 0, "link",
	  "sim: network inside a cluster, one way" },
	{ "overhead", 0, DURATION, AT(overhead_ns), "1us", 0, 0, "time",
	  "sim: that a message costs who sends and who receives it" },
	{ "cost", 0, TEXT, AT(cost), "measured", 0, 0, "how",
	  "sim: computing takes what is measured, or counted" },
	{ "task-cost", 0, DURATION, AT(task_cost_ns), "100ns", 0, 0, "time",
	  "sim: that a spawn takes, if counted" },
	{ "unit-cost", 0, DURATION, AT(unit_cost_ns), "1ns", 0, 0, "time",
	  "sim: that a unit of work takes, if counted (STN_WORK)" },
	{ "speed", 0, TEXT, AT(speed), "1", 0, 0, "S[,S...]",
	  "sim: of each cluster's nodes, or of all; 0.5 is half as fast" },
	{ "seed", 0, COUNT, AT(seed), "1", 0, INT64_MAX, "number",
	  "of the random choice of victims, and of jitter" },
	{ "trace", 0, TEXT, AT(trace), "none", 0, 0, "file",
	  "to log messages in: those of node 3 in FILE.3" },
	{ "stats", 's', STATS, AT(stats), "0", 0, 0, "0, 1, json:FILE",
	  "of tasks, steals, messages and time: a table at the end, or JSON" },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static size_t
text_room(const struct setting *setting)
{
	return setting->most ? setting->most : STN_TEXT_BYTES;
}

static enum stn_err
set_text(const struct setting *setting, char *place, const char *text)
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
parse_nodes(const struct setting *setting, const char *text,
	    struct stn_config *config)
{
	enum stn_err err = stn_parse_count(text, setting->least, setting->most,
					   &config->nodes);

	if (!err)
		config->asked_nodes = config->nodes;
	return err;
}

static enum stn_err
parse_clusters(const struct setting *setting, const char *text,
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
parse_link(const struct setting *setting, const char *text, void *place)
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
parse_value(const struct setting *setting, const char *text,
	    struct stn_config *config)
{
	void *place = (char *)config + setting->offset;
	enum stn_err err;
	uint64_t value;

	switch (setting->type) {
	case COUNT:
		return stn_parse_count(text, setting->least, setting->most,
				       place);
	case NODES:
		return parse_nodes(setting, text, config);
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
		return parse_link(setting, text, place);
	case TEXT:
		return set_text(setting, place, text);
	case STATS:
		return set_stats(place, text);
	}
	return STN_INVALID;
}

/* What a setting wants, in words. */
static void
describe(const struct setting *setting, char text[80])
{
	switch (setting->type) {
	case COUNT:
	case NODES:
	case BYTES:
		snprintf(text, 80,
			 "a number of %s from %" PRIu64 " to %" PRIu64,
			 setting->unit, setting->least, setting->most);
		break;
	case CLUSTERS:
		snprintf(text, 80,
			 "a number of clusters, or 4x16, or sizes: 8,2,4 "
			 "(%d letters at most)",
			 STN_PATH_BYTES - 1);
		break;
	case DURATION:
		snprintf(text, 80, "a time in ns, us, ms or s");
		if (setting->least)
			snprintf(text, 80, "a time from %" PRIu64 "us on",
				 setting->least / 1000);
		break;
	case LINK:
		snprintf(text, 80, "a link such as 100ms,100KB/s,5ms or none");
		break;
	case TEXT:
		snprintf(text, 80, "a name of 1 to %zu letters",
			 text_room(setting) - 1);
		break;
	case STATS:
		snprintf(text, 80, "0, 1, or json: and a file's name");
		break;
	}
}

static enum stn_err
set(struct stn_config *config, const struct setting *setting, const char *text,
    struct stn_why *why)
{
	char wanted[80];

	if (!parse_value(setting, text, config))
		return STN_OK;
	describe(setting, wanted);
	return stn_because(
		why, STN_INVALID, "%s: \"%.60s\" is not %s (%s; default %s)",
		setting->name, text, wanted, setting->help, setting->preset);
}

void
stn_config_defaults(struct stn_config *config)
{
	memset(config, 0, sizeof(*config));
	for (size_t i = 0; i < SETTINGS; i++)
		if (set(config, &settings[i], settings[i].preset, NULL))
			abort(); /* the table above is wrong */
	config->asked_nodes = 0;
}

static void
variable_name(const struct setting *setting, char name[32])
{
	char *to = stpcpy(name, "STN_");

	for (const char *from = setting->name; *from; from++)
		*to++ = (char)toupper((unsigned char)*from);
	*to = '\0';
}

enum stn_err
stn_config_environment(struct stn_config *config, struct stn_why *why)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		char name[32];
		const char *text;
		enum stn_err err;

		variable_name(&settings[i], name);
		text = getenv(name);
		if (!text || !*text)
			continue;
		err = set(config, &settings[i], text, why);
		if (err)
			return err;
	}
	return STN_OK;
}

/* Which setting an option means; *value_p is what follows '=', or NULL. */
static const struct setting *
find_option(const char *option, const char **value_p)
{
	size_t length = strcspn(option, "=");

	*value_p = option[length] ? option + length + 1 : NULL;
	for (size_t i = 0; i < SETTINGS; i++) {
		const char *name = settings[i].name;

		if (!strncmp(option, "--", 2) && length > 2 &&
		    strlen(name) == length - 2 &&
		    !strncmp(option + 2, name, length - 2))
			return &settings[i];
		if (!settings[i].letter || option[1] != settings[i].letter)
			continue;
		if (length > 2 && settings[i].type != STATS)
			*value_p = option + 2; /* -n8 */
		return &settings[i];
	}
	return NULL;
}

static enum stn_err
take_option(struct stn_config *config, char **argv, int *next,
	    struct stn_why *why)
{
	const char *option = argv[(*next)++];
	const struct setting *setting;
	const char *value;

	setting = find_option(option, &value);
	if (!setting)
		return stn_because(why, STN_INVALID,
				   "unknown option %.60s; see `sateen info` "
				   "for all there are",
				   option);
	if (!value && setting->type == STATS)
		value = "1";
	if (!value)
		value = argv[*next] ? argv[(*next)++] : NULL;
	if (!value)
		return stn_because(why, STN_INVALID, "%s needs a value: %s",
				   option, setting->unit);
	return set(config, setting, value, why);
}

enum stn_err
stn_config_options(struct stn_config *config, int argc, char **argv,
		   int *next_p, struct stn_why *why)
{
	int next = 0;

	config->asked_nodes = 0; /* what the environment says gives way */
	while (next < argc && argv[next][0] == '-' && argv[next][1]) {
		enum stn_err err;

		if (!strcmp(argv[next], "--")) {
			next++;
			break;
		}
		err = take_option(config, argv, &next, why);
		if (err)
			return err;
	}
	*next_p = next;
	return STN_OK;
}

/*
 * How many arguments a setting at @at takes, itself included; 0 if none is
 * there, or it lacks its value.
 */
static int
setting_length(char **at)
{
	const struct setting *setting;
	const char *value;

	if (at[0][0] != '-' || !at[0][1])
		return 0;
	setting = find_option(at[0], &value);
	if (!setting)
		return 0;
	if (value || setting->type == STATS)
		return 1;
	return at[1] ? 2 : 0;
}

/* Moves @count arguments at @from down to @to, and what lies between up. */
static void
move_down(char **to, char **from, int count)
{
	while (count--) {
		char *moved = *from;

		memmove(to + 1, to, (size_t)(from - to) * sizeof(*to));
		*to++ = moved;
		from++;
	}
}

int
stn_config_sift(int argc, char **argv)
{
	int front = 0;

	for (int i = 0; i < argc && strcmp(argv[i], "--");) {
		int length = setting_length(&argv[i]);

		move_down(&argv[front], &argv[i], length);
		front += length;
		i += length ? length : 1;
	}
	return front;
}

static void
print_value(const struct setting *setting, const struct stn_config *config,
	    char text[VALUE_BYTES])
{
	const void *place = (const char *)config + setting->offset;
	const struct stn_stats_to *stats = place;
	const uint64_t *number = place;

	switch (setting->type) {
	case COUNT:
	case NODES:
	case BYTES:
		snprintf(text, VALUE_BYTES, "%" PRIu64, *number);
		break;
	case CLUSTERS:
		snprintf(text, VALUE_BYTES, "%s", config->sizes);
		break;
	case DURATION:
		snprintf(text, VALUE_BYTES, "%" PRIu64 "ns", *number);
		break;
	case LINK:
		stn_print_link(place, text);
		break;
	case TEXT:
		snprintf(text, VALUE_BYTES, "%s", (const char *)place);
		break;
	case STATS:
		snprintf(text, VALUE_BYTES, "%s%s",
			 *stats->json	 ? "json:"
			 : stats->wanted ? "1"
					 : "0",
			 stats->json);
		break;
	}
}

enum stn_err
stn_config_export(const struct stn_config *config)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		char name[32], text[VALUE_BYTES];

		variable_name(&settings[i], name);
		print_value(&settings[i], config, text);
		if (setenv(name, text, 1))
			return STN_NO_MEMORY;
	}
	return STN_OK;
}

void
stn_config_list(const struct stn_config *config, FILE *out)
{
	struct stn_config presets;

	stn_config_defaults(&presets);
	fprintf(out, "  %-13s %-3s %-14s %-14s %s\n", "name", "", "default",
		"unit", "help");
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *setting = &settings[i];
		char letter[] = { '-', setting->letter, '\0' };
		char now[VALUE_BYTES], preset[VALUE_BYTES];

		print_value(setting, config, now);
		print_value(setting, &presets, preset);
		fprintf(out, "  %-13s %-3s %-14s %-14s %s", setting->name,
			setting->letter ? letter : "", setting->preset,
			setting->unit, setting->help);
		if (strcmp(now, preset))
			fprintf(out, " [now %s]", now);
		fputc('\n', out);
	}
}
