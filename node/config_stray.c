/*
 * config_stray.c: finds STN_* variables that look like a misspelt setting.
 */
#include <string.h>
#include <unistd.h>

#include "node/config_stray.h"
#include "node/setting.h"

#define PREFIX "STN_"
#define SHORT 9 /* in a name of this length, at most one letter may differ */

static size_t
stray_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The number of letters that must be removed, added or changed to turn one name
 * into the other.
 */
static size_t
stray_distance(const char *one, const char *other)
{
	size_t row[STN_VARIABLE_BYTES];

	for (size_t j = 0; j <= strlen(other); j++)
		row[j] = j;
	for (size_t i = 0; one[i]; i++) {
		size_t corner = row[0]++;

		for (size_t j = 0; other[j]; j++) {
			size_t changed = corner + (one[i] != other[j]);

			corner = row[j + 1];
			row[j + 1] = stray_least(
				changed, 1 + stray_least(row[j], row[j + 1]));
		}
	}
	return row[strlen(other)];
}

static bool
is_near(const char *name, const char *setting)
{
	size_t length = strlen(setting);

	return length >= SHORT &&
	       stray_distance(name, setting) <= (length > SHORT ? 2 : 1);
}

/*
 * Finds the setting whose variable is nearly called @name. False if there is
 * none, or if a setting's variable has exactly that name.
 */
static bool
find_near(const struct stn_config *config, const char *name,
	  char setting[STN_VARIABLE_BYTES])
{
	struct stn_setting_ref at;
	bool found = false;

	for (size_t i = 0; stn_setting_at(config, i, &at); i++) {
		char other[STN_VARIABLE_BYTES];

		stn_setting_variable(at.setting, other);
		if (!strcmp(name, other))
			return false;
		if (!is_near(name, other))
			continue;
		strcpy(setting, other);
		found = true;
	}
	return found;
}

enum stn_err
stn_config_stray(const struct stn_config *config, struct stn_why *why)
{
	for (char **at = environ; at && *at; at++) {
		char name[STN_VARIABLE_BYTES], setting[STN_VARIABLE_BYTES];
		size_t length = strcspn(*at, "=");

		if (strncmp(*at, PREFIX, strlen(PREFIX)) ||
		    length >= sizeof(name))
			continue;
		memcpy(name, *at, length);
		name[length] = '\0';
		if (find_near(config, name, setting))
			return stn_because(why, STN_INVALID,
					   "%s is no setting, %s is; unset it, "
					   "or see `sateen info`",
					   name, setting);
	}
	return STN_OK;
}
