#include <string.h>
#include <unistd.h>

#include "steal/setting.h"

#define PREFIX "STN_"
#define SHORT 9 /* in names as long as this, one letter is much */

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters must go, come or change to make one of the other. */
static size_t
distance(const char *one, const char *other)
{
	size_t row[STN_VARIABLE_BYTES];

	for (size_t j = 0; j <= strlen(other); j++)
		row[j] = j;
	for (size_t i = 0; one[i]; i++) {
		size_t corner = row[0]++;

		for (size_t j = 0; other[j]; j++) {
			size_t changed = corner + (one[i] != other[j]);

			corner = row[j + 1];
			row[j + 1] =
				least(changed, 1 + least(row[j], row[j + 1]));
		}
	}
	return row[strlen(other)];
}

static bool
is_near(const char *name, const char *setting)
{
	size_t length = strlen(setting);

	return length >= SHORT &&
	       distance(name, setting) <= (length > SHORT ? 2 : 1);
}

/* The setting that the variable @name may have been meant for, or false. */
static bool
find_near(const char *name, char setting[STN_VARIABLE_BYTES])
{
	bool found = false;

	for (size_t i = 0; i < stn_setting_count; i++) {
		char other[STN_VARIABLE_BYTES];

		stn_setting_variable(&stn_settings[i], other);
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
stn_config_stray(struct stn_why *why)
{
	for (char **at = environ; at && *at; at++) {
		char name[STN_VARIABLE_BYTES], setting[STN_VARIABLE_BYTES];
		size_t length = strcspn(*at, "=");

		if (strncmp(*at, PREFIX, strlen(PREFIX)) ||
		    length >= sizeof(name))
			continue;
		memcpy(name, *at, length);
		name[length] = '\0';
		if (find_near(name, setting))
			return stn_because(why, STN_INVALID,
					   "%s is no setting, %s is; unset it, "
					   "or see `sateen info`",
					   name, setting);
	}
	return STN_OK;
}
