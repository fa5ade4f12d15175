/*
 * setting.h: what config.h has many of: a row of the table that says what can
 * be set, and its value, from text and to text.
 */
#ifndef STN_STEAL_SETTING_H
#define STN_STEAL_SETTING_H

#include "steal/config.h"

#define STN_VARIABLE_BYTES 32		       /* of any variable's name */
#define STN_SETTING_BYTES (STN_PATH_BYTES + 8) /* of any setting, as text */

enum stn_setting_type {
	COUNT,
	NODES,
	CLUSTERS,
	DURATION,
	BYTES,
	LINK,
	TEXT,
	STATS
};

struct stn_setting {
	const char *name;
	char letter; /* of the short option, or 0 */
	enum stn_setting_type type;
	size_t offset;
	const char *preset;
	uint64_t least, most; /* of a count or a size; least, of a time; */
	/*   most, of a text: room, or STN_TEXT_BYTES */
	const char *unit;
	const char *help;
};

extern const struct stn_setting stn_settings[];
extern const size_t stn_setting_count;

/*
 * stn_setting_set: takes a value as people write it. STN_INVALID: it is none,
 * and
 * @why says what would be.
 */
STN_CHECKED enum stn_err stn_setting_set(struct stn_config *config,
					 const struct stn_setting *setting,
					 const char *text, struct stn_why *why);

/* stn_setting_variable: what its variable is called: STN_WAN. */
void stn_setting_variable(const struct stn_setting *setting,
			  char name[STN_VARIABLE_BYTES]);

/* stn_setting_print: the value as stn_setting_set takes it. */
void stn_setting_print(const struct stn_setting *setting,
		       const struct stn_config *config,
		       char text[STN_SETTING_BYTES]);

#endif
