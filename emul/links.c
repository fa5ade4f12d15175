#include "emul/links.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emul/sections.h"
#include "transport/lines.h"
#include "transport/units.h"

#define NAME_BYTES 64 /* of a cluster's name, with its zero byte */

/* The clusters from first to last, both included. */
struct range {
	uint32_t first, last;
};

/* The range may have a cluster that the run lacks. */
static bool
parse_range(const char *word, uint32_t clusters, struct range *range)
{
	uint64_t number;

	if (word && !strcmp(word, "*")) {
		*range = (struct range){ 0, clusters - 1 };
		return true;
	}
	if (!word || stn_parse_count(word, 0, UINT32_MAX, &number))
		return false;
	*range = (struct range){ (uint32_t)number, (uint32_t)number };
	return true;
}

/* A links file while it is parsed. */
struct reader {
	struct stn_sections sections; /* first: topology_of casts it */
	struct stn_topology *topology;
	char (*names)[NAME_BYTES]; /* of the clusters; NULL: none so far */
};

static struct stn_topology *
topology_of(struct stn_sections *sections)
{
	return ((struct reader *)sections)->topology;
}

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

static enum stn_err
links_begin_section(struct stn_sections *sections, uint64_t start_ns)
{
	return add_section(topology_of(sections), start_ns, sections->why);
}

static enum stn_err
links_check_range(const struct stn_sections *sections, uint32_t clusters,
		  struct range range)
{
	if (range.last < clusters)
		return STN_OK;
	return stn_because(sections->why, STN_INVALID,
			   "%.100s, line %u: the run has clusters 0 to %" PRIu32
			   ", and no cluster %" PRIu32 "; raise --clusters",
			   sections->name, sections->number, clusters - 1,
			   range.last);
}

static enum stn_err
links_parse_link(struct stn_sections *sections, const char *word, char *rest)
{
	struct stn_topology *topology = topology_of(sections);
	struct range from, to;
	struct stn_link link;
	enum stn_err err;

	if (!parse_range(word, topology->clusters, &from))
		return STN_MALFORMED;
	word = strtok_r(NULL, STN_BLANKS, &rest);
	if (!parse_range(word, topology->clusters, &to))
		return STN_MALFORMED;
	word = strtok_r(NULL, STN_BLANKS, &rest);
	if (!word || stn_parse_link(word, &link) ||
	    strtok_r(NULL, STN_BLANKS, &rest))
		return STN_MALFORMED;
	err = links_check_range(sections, topology->clusters, from);
	if (!err)
		err = links_check_range(sections, topology->clusters, to);
	if (!err)
		links_set(topology, from, to, link);
	return err;
}

static bool
is_name(const char *word)
{
	size_t length = 0;

	while (isgraph((unsigned char)word[length]))
		length++;
	return length && length < NAME_BYTES && !word[length];
}

/* Parses what follows the word "name": a cluster and its name. */
static enum stn_err
links_parse_name(struct reader *reader, char *rest)
{
	uint32_t clusters = reader->topology->clusters;
	const char *word = strtok_r(NULL, STN_BLANKS, &rest);
	const char *name = strtok_r(NULL, STN_BLANKS, &rest);
	uint64_t cluster;

	if (!name || stn_parse_count(word, 0, UINT32_MAX, &cluster) ||
	    !is_name(name) || strtok_r(NULL, STN_BLANKS, &rest))
		return STN_MALFORMED;
	if (cluster >= clusters)
		return STN_OK; /* the run has fewer */
	if (!reader->names)
		reader->names = calloc(clusters, sizeof(reader->names[0]));
	if (!reader->names)
		return links_no_memory(reader->sections.why);
	strcpy(reader->names[cluster], name);
	return STN_OK;
}

/* Names from a file of hosts or from `sateen join` take precedence. */
static enum stn_err
give_names(const struct reader *reader)
{
	struct stn_topology *topology = reader->topology;
	enum stn_err err;
	char *text, *at;

	if (!reader->names || topology->name_count)
		return STN_OK;
	text = at = malloc((size_t)topology->clusters * NAME_BYTES);
	if (!text)
		return links_no_memory(reader->sections.why);
	for (uint32_t i = 0; i < topology->clusters; i++) {
		if (i)
			*at++ = ' ';
		at = stpcpy(at, reader->names[i]);
	}
	err = stn_topology_set_names(topology, text);
	free(text);
	return err ? links_no_memory(reader->sections.why) : STN_OK;
}

static enum stn_err
links_take_line(struct stn_sections *sections, char *word, char *rest)
{
	if (!strcmp(word, "name"))
		return links_parse_name((struct reader *)sections, rest);
	return links_parse_link(sections, word, rest);
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
	char form[STN_FORM_BYTES];
	struct reader reader = { { .name = name,
				   .form = form,
				   .why = why,
				   .line = links_take_line,
				   .begin = links_begin_section },
				 topology, NULL };
	enum stn_err err;

	snprintf(form, sizeof(form),
		 "FROM TO LATENCY[,RATE[,JITTER[,LOSS]]] or name CLUSTER "
		 "NAME, with clusters from 0 to %" PRIu32,
		 all.last);
	links_clear(topology);
	err = add_section(topology, 0, why);
	if (!err) {
		links_set(topology, all, all, topology->wan);
		err = stn_sections_read(in, &reader.sections);
	}
	if (!err)
		err = give_names(&reader);
	free(reader.names);
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
	err = stn_lines_open(path, "links", &in, why);
	if (err)
		return err;
	err = stn_links_parse(in, path, topology, why);
	fclose(in);
	return err;
}
