#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "node/config_stray.h"
#include "node/setting.h"
#include "transport/transport.h"

void
stn_config_add(struct stn_config *config, const struct stn_setting_table *table)
{
	size_t first = stn_setting_count(config);
	struct stn_setting_ref at;

	assert(config->table_count < STN_CONFIG_TABLES);
	config->tables[config->table_count++] = table;
	assert(first + table->count < STN_CONFIG_MOST);
	for (size_t i = first; stn_setting_at(config, i, &at); i++)
		if (stn_setting_set(config, &at, at.setting->preset, NULL))
			abort(); /* the preset in the table is wrong */
}

void
stn_config_init(struct stn_config *config)
{
	memset(config, 0, sizeof(*config));
	stn_config_add(config, &stn_config_table);
	config->asked_nodes = 0;
}

enum stn_err
stn_config_environment(struct stn_config *config, struct stn_why *why)
{
	struct stn_setting_ref at;

	for (size_t i = 0; stn_setting_at(config, i, &at); i++) {
		char name[STN_VARIABLE_BYTES];
		const char *text;
		enum stn_err err;

		stn_setting_variable(at.setting, name);
		text = getenv(name);
		if (!text || !*text)
			continue;
		err = stn_setting_set(config, &at, text, why);
		if (err)
			return err;
	}
	return stn_config_stray(config, why);
}

/*
 * Finds the setting of an option. *value_p becomes the text behind '=', or
 * NULL.
 */
static bool
find_option(const struct stn_config *config, const char *option,
	    struct stn_setting_ref *ref, const char **value_p)
{
	size_t length = strcspn(option, "=");

	*value_p = option[length] ? option + length + 1 : NULL;
	for (size_t i = 0; stn_setting_at(config, i, ref); i++) {
		const struct stn_setting *setting = ref->setting;

		if (!strncmp(option, "--", 2) && length > 2 &&
		    strlen(setting->name) == length - 2 &&
		    !strncmp(option + 2, setting->name, length - 2))
			return true;
		if (!setting->letter || option[1] != setting->letter)
			continue;
		if (length > 2 && setting->type == STATS)
			continue; /* its value is optional: only -s, or -s=1 */
		if (length > 2)
			*value_p = option + 2; /* -n8 */
		return true;
	}
	return false;
}

/*
 * An option of type STATS has its value in the same word. Is the next word,
 * which would be the program, meant as the value?
 */
static bool
is_value_of_stats(const char *next)
{
	return next && (!strncmp(next, "json:", 5) || !strcmp(next, "0") ||
			!strcmp(next, "1"));
}

/* The number of a setting, as stn_setting_at counts. */
static size_t
number_of(const struct stn_config *config, const char *name)
{
	struct stn_setting_ref at;
	size_t i = 0;

	while (stn_setting_at(config, i, &at) && strcmp(at.setting->name, name))
		i++;
	return i;
}

bool
stn_config_given(const struct stn_config *config, const char *name)
{
	return config->given[number_of(config, name)];
}

static enum stn_err
take_option(struct stn_config *config, char **argv, int *next,
	    struct stn_why *why)
{
	const char *option = argv[(*next)++];
	struct stn_setting_ref at;
	const char *value;

	if (!find_option(config, option, &at, &value))
		return stn_because(why, STN_INVALID,
				   "unknown option %.60s; see `sateen info` "
				   "for all there are",
				   option);
	if (!value && at.setting->type == STATS) {
		if (is_value_of_stats(argv[*next]))
			return stn_because(why, STN_INVALID,
					   "%s has its value in the same word; "
					   "write --%s=%.200s",
					   option, at.setting->name,
					   argv[*next]);
		value = "1";
	}
	if (!value)
		value = argv[*next] ? argv[(*next)++] : NULL;
	if (!value)
		return stn_because(why, STN_INVALID, "%s needs a value: %s",
				   option, at.setting->unit);
	config->given[number_of(config, at.setting->name)] = true;
	return stn_setting_set(config, &at, value, why);
}

enum stn_err
stn_config_options(struct stn_config *config, int argc, char **argv,
		   int *next_p, struct stn_why *why)
{
	int next = 0;

	config->asked_nodes = 0; /* options override the variable */
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

int
stn_config_length(const struct stn_config *config, char **at)
{
	struct stn_setting_ref ref;
	const char *value;

	if (at[0][0] != '-' || !at[0][1])
		return 0;
	if (!find_option(config, at[0], &ref, &value))
		return 0;
	if (value || ref.setting->type == STATS)
		return 1;
	return at[1] ? 2 : 0;
}

/*
 * Moves @count arguments from @from down to @to, and the arguments between up.
 */
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
stn_config_sift(const struct stn_config *config, int argc, char **argv)
{
	int front = 0;

	for (int i = 0; i < argc && strcmp(argv[i], "--");) {
		int length = stn_config_length(config, &argv[i]);

		move_down(&argv[front], &argv[i], length);
		front += length;
		i += length ? length : 1;
	}
	return front;
}

enum stn_err
stn_config_export(const struct stn_config *config)
{
	struct stn_setting_ref at;

	for (size_t i = 0; stn_setting_at(config, i, &at); i++) {
		char name[STN_VARIABLE_BYTES], text[STN_SETTING_BYTES];

		stn_setting_variable(at.setting, name);
		stn_setting_print(config, &at, text);
		if (setenv(name, text, 1))
			return STN_NO_MEMORY;
	}
	return STN_OK;
}

void
stn_config_list(const struct stn_config *config, FILE *out)
{
	struct stn_config presets;
	struct stn_setting_ref at, was;

	stn_config_init(&presets);
	for (size_t i = 1; i < config->table_count; i++)
		stn_config_add(&presets, config->tables[i]);
	fprintf(out, "  %-13s %-3s %-14s %-14s %s\n", "name", "", "default",
		"unit", "help");
	for (size_t i = 0; stn_setting_at(config, i, &at) &&
			   stn_setting_at(&presets, i, &was);
	     i++) {
		const struct stn_setting *setting = at.setting;
		char letter[] = { '-', setting->letter, '\0' };
		char now[STN_SETTING_BYTES], preset[STN_SETTING_BYTES];

		stn_setting_print(config, &at, now);
		stn_setting_print(&presets, &was, preset);
		fprintf(out, "  %-13s %-3s %-14s %-14s %s", setting->name,
			setting->letter ? letter : "", setting->preset,
			setting->unit, setting->help);
		if (strcmp(now, preset))
			fprintf(out, " [now %s]", now);
		fputc('\n', out);
	}
}

#define TASKS "tasks:" /* before the file of --trace */

bool
stn_config_traces(const struct stn_config *config)
{
	return strcmp(config->trace, "none");
}

bool
stn_config_traces_tasks(const struct stn_config *config)
{
	return !strncmp(config->trace, TASKS, strlen(TASKS));
}

const char *
stn_config_trace_file(const struct stn_config *config)
{
	return config->trace +
	       (stn_config_traces_tasks(config) ? strlen(TASKS) : 0);
}

const char *
stn_config_transport(const struct stn_config *config)
{
	bool fabric = strcmp(config->provider, "auto") ||
		      strcmp(config->device, "auto") ||
		      strcmp(config->interface, "auto") ||
		      strcmp(config->address, "auto") ||
		      strcmp(config->ports, "auto");

	if (strcmp(config->transport, "auto"))
		return config->transport;
	if (config->nodes == 1 && config->max_nodes <= 1)
		return "loop";
	return fabric || !stn_transport_known("shm") ? "ofi" : "shm";
}
