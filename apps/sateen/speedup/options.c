/*
 * options.c: the command line of `sateen speedup`: its own options, settings
 * for the runs, and the program.
 */
#include "apps/sateen/speedup/speedup.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/settings.h"
#include "node/config.h"

#define NODES_MOST 100000
#define WORKERS_MOST 1024
#define SIM_NODES 64 /* simulated by default: up to so many */
#define REPEATS 3
#define REPEATS_MOST 1000

struct list {
	uint32_t numbers[LIST_MOST], count;
};

struct options {
	struct speedup *speedup;
	struct list nodes, workers;
};

static int
complain(const char *what, const char *text, const char *wanted)
{
	fprintf(stderr, "sateen: %s: \"%.60s\" is not %s\n", what, text,
		wanted);
	return 2;
}

/* Ascending numbers with commas between them. */
static bool
parse_list(const char *text, uint32_t most, struct list *list)
{
	uint32_t last = 0;

	list->count = 0;
	for (;;) {
		char *end;
		unsigned long number = strtoul(text, &end, 10);

		if (*text < '0' || *text > '9' || number <= last ||
		    number > most || list->count == LIST_MOST)
			return false;
		list->numbers[list->count++] = last = (uint32_t)number;
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		text = end + 1;
	}
}

/* 1, 2, 4 and so on, and @most itself. */
static void
list_powers(uint32_t most, struct list *list)
{
	list->count = 0;
	for (uint32_t i = 1; i < most && list->count < LIST_MOST - 1; i *= 2)
		list->numbers[list->count++] = i;
	list->numbers[list->count++] = most;
}

static int
read_list(const char *name, const char *text, uint32_t most, struct list *list)
{
	if (parse_list(text, most, list))
		return 0;
	return complain(name, text,
			"a list of at most 16 ascending numbers, such as "
			"1,2,4");
}

static int
read_repeats(struct speedup *speedup, const char *text)
{
	struct list list;

	if (!parse_list(text, REPEATS_MOST, &list) || list.count != 1)
		return complain("repeats", text, "a number from 1 to 1000");
	speedup->repeats = list.numbers[0];
	return 0;
}

/* Options of this command that have a value. */
enum own { NODES, WORKERS, REPEATED, OUTPUT, OWN };

static const struct {
	const char *name;
	char letter; /* or 0 */
} own_options[OWN] = {
	[NODES] = { "--nodes", 'n' },
	[WORKERS] = { "--workers", 'w' },
	[REPEATED] = { "--repeats", 0 },
	[OUTPUT] = { "--output", 0 },
};

/*
 * Which own option is it? OWN: none.
 * @value_p  set to its value, or to NULL if that is in the next word
 */
static enum own
find_own(const char *text, const char **value_p)
{
	size_t length = strcspn(text, "=");
	enum own own = 0;

	*value_p = text[length] ? text + length + 1 : NULL;
	for (; own < OWN; own++) {
		const char *name = own_options[own].name;

		if (strlen(name) == length && !strncmp(text, name, length))
			break;
		if (!own_options[own].letter ||
		    text[1] != own_options[own].letter)
			continue;
		if (length > 2)
			*value_p = text + 2; /* -n4 */
		break;
	}
	return own;
}

static int
take_own(struct options *options, enum own own, const char *value)
{
	if (own == NODES)
		return read_list("nodes", value, NODES_MOST, &options->nodes);
	if (own == WORKERS)
		return read_list("workers", value, WORKERS_MOST,
				 &options->workers);
	if (own == REPEATED)
		return read_repeats(options->speedup, value);
	options->speedup->output = value;
	return 0;
}

/*
 * Keeps an option for the runs, with its value. read_settings refuses one that
 * is no setting, or that lacks its value. Returns the number of words.
 */
static int
keep_setting(struct speedup *speedup, const struct stn_config *config,
	     char **argv)
{
	int words = stn_config_length(config, argv);

	if (!words)
		words = 1;
	for (int i = 0; i < words; i++)
		speedup->settings[speedup->setting_count++] = argv[i];
	return words;
}

/*
 * Takes the option at the front of @argv. Returns the number of its words, or
 * 0: it is wrong, and the user has been told.
 */
static int
take_option(struct options *options, const struct stn_config *config,
	    char **argv)
{
	const char *value;
	enum own own;
	int words = 1;

	if (!strcmp(argv[0], "--sim")) {
		options->speedup->sim = true;
		return 1;
	}
	own = find_own(argv[0], &value);
	if (own == OWN)
		return keep_setting(options->speedup, config, argv);
	if (!value) {
		value = argv[1];
		words = 2;
	}
	if (!value) {
		fprintf(stderr, "sateen: %.60s needs a value\n", argv[0]);
		return 0;
	}
	return take_own(options, own, value) ? 0 : words;
}

static int
take_options(struct options *options, int argc, char **argv, int *next_p)
{
	struct stn_config config;
	int i = 1;

	stn_config_defaults(&config);
	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--")) {
		int words = take_option(options, &config, argv + i);

		if (!words)
			return 2;
		i += words;
	}
	*next_p = i < argc && !strcmp(argv[i], "--") ? i + 1 : i;
	return 0;
}

static int
refuse(const char *text)
{
	fprintf(stderr, "sateen: %s\n", text);
	return 2;
}

/*
 * Settings that name single nodes or clusters, or that need a number of nodes:
 * the first run has one node, and later ones have others.
 */
static int
check_fixed(const struct stn_config *config)
{
	const struct {
		const char *name;
		bool given;
	} fixed[] = {
		{ "links", strcmp(config->links, "none") },
		{ "speed", strchr(config->speed, ',') },
		{ "speeds", strcmp(config->speeds, "none") },
		{ "events", strcmp(stn_config_events(config), "none") },
		{ "max-nodes", config->max_nodes },
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (!fixed[i].given)
			continue;
		fprintf(stderr,
			"sateen: the runs of speedup do not all have the same "
			"nodes and clusters; leave --%s out\n",
			fixed[i].name);
		return 2;
	}
	return 0;
}

/* Settings that `sateen speedup` itself gives to the runs. */
static int
check_settings(const struct speedup *speedup, const struct stn_config *config)
{
	if (stn_config_traces(config))
		return refuse("speedup traces its runs itself; leave --trace "
			      "out");
	if (strcmp(config->hosts, "none"))
		return refuse("speedup runs on this host only; leave --hosts "
			      "out");
	if (strpbrk(config->sizes, "x,"))
		return refuse("speedup varies the nodes of clusters; say only "
			      "how many clusters there are");
	if (speedup->sim && strcmp(config->transport, "auto"))
		return refuse("a simulation has its own transport; leave "
			      "--transport out");
	return check_fixed(config);
}

static int
read_settings(struct speedup *speedup)
{
	struct stn_config config;
	struct stn_why why;
	enum stn_err err;
	int next = 0;

	stn_config_defaults(&config);
	err = stn_config_environment(&config, &why);
	if (!err)
		err = stn_config_options(&config, speedup->setting_count,
					 speedup->settings, &next, &why);
	if (!err && next < speedup->setting_count)
		err = stn_because(&why, STN_INVALID, "no setting \"%.60s\"",
				  speedup->settings[next]);
	if (err) {
		fprintf(stderr, "sateen: %s\n", why.text);
		return 2;
	}
	speedup->clusters = (uint32_t)config.clusters;
	/* With counted costs all runs take the same time. */
	if (!speedup->repeats)
		speedup->repeats =
			speedup->sim && config.cost[0] != 'm' ? 1 : REPEATS;
	return check_settings(speedup, &config);
}

/* Adds a point, unless it is there. Returns its index. */
static uint32_t
add_point(struct speedup *speedup, uint32_t nodes, uint32_t workers)
{
	uint32_t i = 0;

	while (i < speedup->count && (speedup->points[i].nodes != nodes ||
				      speedup->points[i].workers != workers))
		i++;
	if (i == speedup->count && i < POINTS_MOST)
		speedup->points[speedup->count++] =
			(struct point){ nodes, workers, 0 };
	return i;
}

/* Adds a series in which one of the numbers is constant. */
static void
add_series(struct speedup *speedup, const struct list *nodes,
	   const struct list *workers)
{
	struct series *series = &speedup->series[speedup->series_count++];

	if (nodes->count == 1)
		snprintf(series->name, sizeof(series->name), "workers of %s",
			 nodes->numbers[0] == 1 ? "one node" : "these nodes");
	else
		snprintf(series->name, sizeof(series->name),
			 "nodes of %u worker%s", workers->numbers[0],
			 workers->numbers[0] == 1 ? "" : "s");
	for (uint32_t i = 0; i < nodes->count; i++)
		for (uint32_t j = 0; j < workers->count; j++)
			series->points[series->count++] =
				add_point(speedup, nodes->numbers[i],
					  workers->numbers[j]);
}

/* The cores that this process may use. */
static uint32_t
count_cores(void)
{
	cpu_set_t own;

	if (sched_getaffinity(0, sizeof(own), &own)) /* a host of too many */
		return (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	return (uint32_t)CPU_COUNT(&own);
}

/* The numbers that the user has not given. */
static int
choose_points(struct options *options)
{
	const struct list one = { { 1 }, 1 };
	struct speedup *speedup = options->speedup;
	struct list cores;

	list_powers(count_cores(), &cores);
	add_point(speedup, 1, 1);
	if (speedup->sim && options->workers.count)
		return refuse("simulated nodes have one worker; leave "
			      "--workers out");
	if (speedup->sim && !options->nodes.count)
		list_powers(SIM_NODES, &options->nodes);
	if (!options->nodes.count && !options->workers.count) {
		add_series(speedup, &one, &cores);
		if (cores.count > 1)
			add_series(speedup, &cores, &one);
		return 0;
	}
	if (!options->workers.count)
		options->workers = one;
	if (!options->nodes.count)
		options->nodes = one;
	if (options->nodes.count == 1) {
		add_series(speedup, &options->nodes, &options->workers);
		return 0;
	}
	if (options->workers.count > SERIES_MOST ||
	    options->nodes.count * options->workers.count >= POINTS_MOST)
		return refuse("these are too many numbers of nodes and "
			      "workers");
	for (uint32_t i = 0; i < options->workers.count; i++) {
		const struct list each = { { options->workers.numbers[i] }, 1 };

		add_series(speedup, &options->nodes, &each);
	}
	return 0;
}

int
options_read(struct speedup *speedup, int argc, char **argv)
{
	struct options options = { .speedup = speedup };
	int next = 0, status;

	speedup->output = "speedup.svg";
	speedup->settings = calloc((size_t)argc, sizeof(speedup->settings[0]));
	if (!speedup->settings) {
		fputs("sateen: out of memory\n", stderr);
		return EXIT_FAILURE;
	}
	status = take_options(&options, argc, argv, &next);
	if (!status)
		status = read_settings(speedup);
	if (!status)
		status = choose_points(&options);
	if (!status && next == argc)
		status = refuse("no program is named; see sateen speedup "
				"--help");
	speedup->program = argv + next;
	return status;
}
