/*
 * setting.h: one setting: a row of a table of settings, its value, and the
 * conversion of the value from text and to text.
 */
#ifndef STN_NODE_SETTING_H
#define STN_NODE_SETTING_H

#include <stdbool.h>

#include "node/config.h"

#define STN_VARIABLE_BYTES 32 /* a variable's name, with its end */
#define STN_SETTING_BYTES (STN_PATH_BYTES + 8) /* any setting as text */

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
	char letter; /* letter of the short option, or 0 */
	enum stn_setting_type type;
	size_t offset; /* offset of the value in the structure of its table */
	const char *preset;
	uint64_t least, most; /* limits of a count or size, of a time; */
	/* most: room for a text; 0: STN_TEXT_BYTES */
	const char *unit;
	const char *help;
};

/*
 * A table of settings, and the size of the structure that holds their values.
 * The values of the core's settings are in struct stn_config itself. Those of
 * services and balancers are in structures of uint64_t, inside struct
 * stn_config.
 */
struct stn_setting_table {
	const struct stn_setting *rows;
	size_t count;
	size_t bytes; /* bytes of the structure; 0: struct stn_config */
};

/* A setting of one configuration, and the place of its value. */
struct stn_setting_ref {
	const struct stn_setting *setting;
	void *place;
};

/* The core's settings (config_table.c). */
extern const struct stn_setting_table stn_config_table;

/* stn_setting_count: the number of settings in all tables of @config. */
size_t stn_setting_count(const struct stn_config *config);

/*
 * stn_setting_at: finds a setting by its number among all tables of @config.
 * False if there are fewer settings.
 */
bool stn_setting_at(const struct stn_config *config, size_t number,
		    struct stn_setting_ref *ref);

/*
 * stn_setting_set: sets a value from text. STN_INVALID if the text is no value
 * of the setting; @why then tells which values are.
 */
STN_CHECKED enum stn_err stn_setting_set(struct stn_config *config,
					 const struct stn_setting_ref *ref,
					 const char *text, struct stn_why *why);

/*
 * stn_setting_variable: the name of the setting's variable, for example
 * STN_WAN.
 */
void stn_setting_variable(const struct stn_setting *setting,
			  char name[STN_VARIABLE_BYTES]);

/* stn_setting_print: writes the value as text that stn_setting_set reads. */
void stn_setting_print(const struct stn_config *config,
		       const struct stn_setting_ref *ref,
		       char text[STN_SETTING_BYTES]);

/*
 * stn_config_own: the structure with the values of the settings of @table,
 * which was added to @config.
 */
const void *stn_config_own(const struct stn_config *config,
			   const struct stn_setting_table *table);

#endif
