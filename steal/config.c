#include <stdlib.h>
#include <string.h>

#include "steal/setting.h"

void
stn_config_defaults(struct stn_config *config)
{
	memset(config, 0, sizeof(*config));
	for (size_t i = 0; i < stn_setting_count; i++)
		if (stn_setting_set(config, &stn_settings[i],
				    stn_settings[i].preset, NULL))
			abort(); /* the table is wrong */
	config->asked_nodes = 0;
}

enum stn_err
stn_config_environment(struct stn_config *config, struct stn_why *why)
{
	for (size_t i = 0; i < stn_setting_count; i++) {
		char name[STN_VARIABLE_BYTES];
		const char *text;
		enum stn_err err;

		stn_setting_variable(&stn_settings[i], name);
		text = getenv(name);
		if (!text || !*text)
			continue;
		err = stn_setting_set(config, &stn_settings[i], text, why);
		if (err)
			return err;
	}
	return stn_config_stray(why);
}

/* Which setting an option means; *value_p is what follows '=', or NULL. */
static const struct stn_setting *
find_option(const char *option, const char **value_p)
{
	size_t length = strcspn(option, "=");

	*value_p = option[length] ? option + length + 1 : NULL;
	for (size_t i = 0; i < stn_setting_count; i++) {
		const char *name = stn_settings[i].name;

		if (!strncmp(option, "--", 2) && length > 2 &&
		    strlen(name) == length - 2 &&
		    !strncmp(option + 2, name, length - 2))
			return &stn_settings[i];
		if (!stn_settings[i].letter ||
		    option[1] != stn_settings[i].letter)
			continue;
		if (length > 2 && stn_settings[i].type != STATS)
			*value_p = option + 2; /* -n8 */
		return &stn_settings[i];
	}
	return NULL;
}

static enum stn_err
take_option(struct stn_config *config, char **argv, int *next,
	    struct stn_why *why)
{
	const char *option = argv[(*next)++];
	const struct stn_setting *setting;
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
	return stn_setting_set(config, setting, value, why);
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
	const struct stn_setting *setting;
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

enum stn_err
stn_config_export(const struct stn_config *config)
{
	for (size_t i = 0; i < stn_setting_count; i++) {
		char name[STN_VARIABLE_BYTES], text[STN_SETTING_BYTES];

		stn_setting_variable(&stn_settings[i], name);
		stn_setting_print(&stn_settings[i], config, text);
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
	for (size_t i = 0; i < stn_setting_count; i++) {
		const struct stn_setting *setting = &stn_settings[i];
		char letter[] = { '-', setting->letter, '\0' };
		char now[STN_SETTING_BYTES], preset[STN_SETTING_BYTES];

		stn_setting_print(setting, config, now);
		stn_setting_print(setting, &presets, preset);
		fprintf(out, "  %-13s %-3s %-14s %-14s %s", setting->name,
			setting->letter ? letter : "", setting->preset,
			setting->unit, setting->help);
		if (strcmp(now, preset))
			fprintf(out, " [now %s]", now);
		fputc('\n', out);
	}
}
