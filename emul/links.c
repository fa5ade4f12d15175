#include "emul/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport/lines.h"
#include "transport/units.h"

#define BLANKS " \t\r\n"

/* The clusters from first to last, both included. */
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

/* A links file while it is parsed. */
struct reader {
	struct stn_topology *topology;
	const char *name; /* for messages */
	unsigned line;	  /* number of the current line, from 1 */
	struct stn_why *why;
};

static size_t
section_links(const struct stn_topology *topology)
{
	return (size_t)topology->clusters * topology->clusters;
}

/* Sets the links between two ranges of clusters in the last section. */
static void
links_set(struct stn_topology *topology, struct range from, struct range to,
	  struct stn_link link)
{
	struct stn_link *links =
		topology->links +
		(topology->sections - 1) * section_links(topology);

	for (uint32_t i = from.first; i <= from.last; i++)
		for (uint32_t j = to.first; j <= to.last; j++)
			links[stn_topology_link(topology, i, j)] = link;
}

static enum stn_err
links_no_memory(struct stn_why *why)
{
	return stn_because(why, STN_NO_MEMORY, "out of memory for links");
}

/* Adds a section, whose links are those of the section before it. */
static enum stn_err
add_section(struct stn_topology *topology, uint64_t start_ns,
	    struct stn_why *why)
{
	size_t count = section_links(topology), sections = topology->sections;
	uint64_t *starts = reallocarray(topology->starts_ns, sections + 1,
					sizeof(starts[0]));
	struct stn_link *links;

	if (!starts)
		return links_no_memory(why);
	topology->starts_ns = starts;
	links = reallocarray(topology->links, count,
			     (sections + 1) * sizeof(links[0]));
	if (!links)
		return links_no_memory(why);
	topology->links = links;
	starts[sections] = start_ns;
	if (sections)
		memcpy(links + sections * count, links + (sections - 1) * count,
		       count * sizeof(links[0]));
	topology->sections++;
	return STN_OK;
}

/* Parses the rest of a line "@ TIME". */
static enum stn_err
parse_start(struct reader *reader, char *rest)
{
	struct stn_topology *topology = reader->topology;
	uint64_t last = topology->starts_ns[topology->sections - 1], start;
	char *word = strtok_r(NULL, BLANKS, &rest);

	if (!word || stn_parse_duration(word, &start) ||
	    strtok_r(NULL, BLANKS, &rest))
		return stn_because(reader->why, STN_INVALID,
				   "%.100s, line %u: not @ TIME, such as @ 60s",
				   reader->name, reader->line);
	if (!start && topology->sections == 1)
		return STN_OK;
	if (start <= last)
		return stn_because(reader->why, STN_INVALID,
				   "%.100s, line %u: this time is not after "
				   "the one before; they must ascend from 0",
				   reader->name, reader->line);
	return add_section(topology, start, reader->why);
}

static bool
links_parse_link(struct stn_topology *topology, const char *word, char *rest)
{
	struct range from, to;
	struct stn_link link;

	if (!parse_range(word, topology->clusters, &from))
		return false;
	word = strtok_r(NULL, BLANKS, &rest);
	if (!parse_range(word, topology->clusters, &to))
		return false;
	word = strtok_r(NULL, BLANKS, &rest);
	if (!word || stn_parse_link(word, &link) ||
	    strtok_r(NULL, BLANKS, &rest))
		return false;
	links_set(topology, from, to, link);
	return true;
}

static enum stn_err
links_parse_line(void *arg, char *line, size_t length)
{
	struct reader *reader = arg;
	bool whole = strlen(line) == length;
	char *word, *rest;

	reader->line++;
	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, BLANKS, &rest);
	if (whole && !word)
		return STN_OK;
	if (whole && !strcmp(word, "@"))
		return parse_start(reader, rest);
	if (whole && links_parse_link(reader->topology, word, rest))
		return STN_OK;
	return stn_because(reader->why, STN_INVALID,
			   "%.100s, line %u: not FROM TO "
			   "LATENCY[,RATE[,JITTER]], with clusters from 0 to "
			   "%u, nor @ TIME",
			   reader->name, reader->line,
			   reader->topology->clusters - 1);
}

/* Frees all links; the topology then has none. */
static void
links_clear(struct stn_topology *topology)
{
	free(topology->links);
	free(topology->starts_ns);
	topology->links = NULL;
	topology->starts_ns = NULL;
	topology->sections = 0;
}

enum stn_err
stn_links_parse(FILE *in, const char *name, struct stn_topology *topology,
		struct stn_why *why)
{
	const struct range all = { 0, topology->clusters - 1 };
	struct reader reader = { topology, name, 0, why };
	enum stn_err err;

	links_clear(topology);
	err = add_section(topology, 0, why);
	if (!err) {
		links_set(topology, all, all, topology->wan);
		err = stn_lines_read(in, name, links_parse_line, &reader, why);
	}
	if (err)
		links_clear(topology);
	return err;
}

/* Is the link other than "none" in any section? */
static bool
ever_slow(const struct stn_topology *topology, size_t link)
{
	struct stn_profile profile = stn_topology_profile(topology, link);

	for (uint32_t i = 0; i < profile.count; i++)
		if (!stn_link_none(&profile.links[i * profile.stride]))
			return true;
	return false;
}

void
stn_links_fill(struct stn_topology *topology, const struct stn_link *inside)
{
	size_t count = section_links(topology);

	for (size_t i = 0; i < topology->sections * count; i++)
		if (stn_link_none(&topology->links[i]) &&
		    ever_slow(topology, i % count))
			topology->links[i] = *inside;
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
