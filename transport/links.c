#include "transport/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport/units.h"

#define BLANKS " \t\r\n"

/* Clusters from first to last. */
struct range {
	uint32_t first, last;
};

static bool
parse_range(const char *word, uint32_t clusters, struct range *range)
{
	uint64_t number;

	if (word && !strcmp(word, "*")) {
		*range = (struct range){ 0, clusters - 1 };
		return true;
	}
	if (!word || stn_parse_count(word, 0, clusters - 1, &number))
		return false;
	*range = (struct range){ (uint32_t)number, (uint32_t)number };
	return true;
}

static void
set(struct stn_topology *topology, struct range from, struct range to,
    struct stn_link link)
{
	for (uint32_t i = from.first; i <= from.last; i++)
		for (uint32_t j = to.first; j <= to.last; j++)
			topology->links[(size_t)i * topology->clusters + j] =
				link;
}

/* True also if there is nothing on the line. */
static bool
parse_line(char *line, struct stn_topology *topology)
{
	struct range from, to;
	struct stn_link link;
	char *word, *rest;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, BLANKS, &rest);
	if (!word)
		return true;
	if (!parse_range(word, topology->clusters, &from))
		return false;
	word = strtok_r(NULL, BLANKS, &rest);
	if (!parse_range(word, topology->clusters, &to))
		return false;
	word = strtok_r(NULL, BLANKS, &rest);
	if (!word || stn_parse_link(word, &link) ||
	    strtok_r(NULL, BLANKS, &rest))
		return false;
	set(topology, from, to, link);
	return true;
}

static enum stn_err
parse_lines(FILE *in, const char *name, struct stn_topology *topology,
	    struct stn_why *why)
{
	enum stn_err err = STN_OK;
	unsigned number = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while (!err && (length = getline(&line, &room, in)) >= 0) {
		number++;
		if (strlen(line) != (size_t)length ||
		    !parse_line(line, topology))
			err = stn_because(why, STN_INVALID,
					  "%.100s, line %u: not FROM TO "
					  "LATENCY[,RATE[,JITTER]], with "
					  "clusters from 0 to %u",
					  name, number, topology->clusters - 1);
	}
	if (!err && ferror(in))
		err = stn_because(why, STN_IO, "can't read %.100s: %s", name,
				  strerror(errno));
	free(line);
	return err;
}

enum stn_err
stn_links_parse(FILE *in, const char *name, struct stn_topology *topology,
		struct stn_why *why)
{
	const struct range all = { 0, topology->clusters - 1 };
	size_t count = (size_t)topology->clusters * topology->clusters;
	enum stn_err err;

	topology->links = calloc(count, sizeof(topology->links[0]));
	if (!topology->links)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	set(topology, all, all, topology->wan);
	err = parse_lines(in, name, topology, why);
	if (err) {
		free(topology->links);
		topology->links = NULL;
	}
	return err;
}

enum stn_err
stn_links_read(const char *path, struct stn_topology *topology,
	       struct stn_why *why)
{
	enum stn_err err;
	FILE *in;

	if (!strcmp(path, "none"))
		return STN_OK;
	in = fopen(path, "re");
	if (!in)
		return stn_because(why, STN_IO,
				   "can't read links from %.100s: "
				   "%s",
				   path, strerror(errno));
	err = stn_links_parse(in, path, topology, why);
	fclose(in);
	return err;
}
