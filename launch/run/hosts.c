#include "launch/run/hosts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "transport/lines.h"
#include "transport/units.h"

#define BLANKS " \t\r\n"
#define NO_CLUSTER UINT32_MAX

/* The state of reading a file of hosts. */
struct reader {
	struct stn_hosts *hosts;
	const char *name;
	unsigned line;
	uint32_t cluster; /* of the current section, or NO_CLUSTER */
	struct stn_why *why;
};

static enum stn_err
hosts_no_memory(struct reader *reader)
{
	return stn_because(reader->why, STN_NO_MEMORY,
			   "out of memory for hosts");
}

/*
 * Reports a mistake in the current line. @what says what is wrong with @word,
 * which may be long.
 */
static enum stn_err
mistake(struct reader *reader, const char *word, const char *what)
{
	return stn_because(reader->why, STN_INVALID,
			   "%.100s, line %u: \"%.60s\" is %s", reader->name,
			   reader->line, word, what);
}

/*
 * A name must not look like an option to ssh, and must not contain characters
 * that are special to a shell.
 */
static bool
hosts_is_name(const char *word)
{
	static const char marks[] = "._-:@%+[]";

	if (!isalnum((unsigned char)*word) && *word != '[' && *word != ':')
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr(marks, *word))
			return false;
	return true;
}

static enum stn_err
find_cluster(struct reader *reader, const char *word, uint32_t *cluster_p)
{
	struct stn_hosts *hosts = reader->hosts;
	char **clusters;

	if (!hosts_is_name(word) || strpbrk(word, "[]"))
		return mistake(reader, word, "no cluster's name");
	for (uint32_t i = 0; i < hosts->cluster_count; i++)
		if (!strcmp(hosts->clusters[i], word)) {
			*cluster_p = i;
			return STN_OK;
		}
	clusters = reallocarray(hosts->clusters, hosts->cluster_count + 1,
				sizeof(clusters[0]));
	if (!clusters)
		return hosts_no_memory(reader);
	hosts->clusters = clusters;
	clusters[hosts->cluster_count] = strdup(word);
	if (!clusters[hosts->cluster_count])
		return hosts_no_memory(reader);
	*cluster_p = hosts->cluster_count++;
	return STN_OK;
}

/* Parses a line like [amsterdam]. */
static enum stn_err
parse_section(struct reader *reader, char *line)
{
	char *end = strchr(line, ']'), *word, *name, *rest;

	if (!end || end[1 + strspn(end + 1, BLANKS)])
		return mistake(reader, line, "not [NAME]");
	*end = '\0';
	word = strtok_r(line + 1, BLANKS, &rest);
	name = word ? strtok_r(NULL, BLANKS, &rest) : NULL;
	if (name && !strcmp(word, "cluster")) {
		word = name;
		name = strtok_r(NULL, BLANKS, &rest);
	}
	if (!word || name)
		return mistake(reader, name ? name : "[]", "not [NAME]");
	return find_cluster(reader, word, &reader->cluster);
}

static enum stn_err
hosts_parse_nodes(struct reader *reader, const char *word, uint32_t *nodes_p)
{
	uint64_t nodes;

	if (stn_parse_count(word, 1, STN_HOSTS_NODES, &nodes))
		return mistake(reader, word,
			       "not a number of nodes from 1 to 100000");
	*nodes_p = (uint32_t)nodes;
	return STN_OK;
}

/* Removes the brackets of [ADDRESS] or [ADDRESS]:N, because ssh rejects them.
 */
static enum stn_err
parse_address(struct reader *reader, char *open, struct stn_host *host)
{
	char *shut = strchr(open, ']');

	if (!shut || (shut[1] && shut[1] != ':'))
		return mistake(reader, open, "not [ADDRESS] or [ADDRESS]:N");
	if (shut[1] && hosts_parse_nodes(reader, shut + 2, &host->nodes))
		return STN_INVALID;
	*shut = '\0';
	memmove(open, open + 1, strlen(open));
	return STN_OK;
}

/* Removes the N of HOST:N. A word with more colons is an IPv6 address. */
static enum stn_err
parse_name(struct reader *reader, char *word, struct stn_host *host)
{
	char *colon = strchr(word, ':'), *open = strchr(word, '[');

	if (open && (open == word || open[-1] == '@')) {
		if (parse_address(reader, open, host))
			return STN_INVALID;
	} else if (colon && colon == strrchr(word, ':')) {
		*colon = '\0';
		if (hosts_parse_nodes(reader, colon + 1, &host->nodes))
			return STN_INVALID;
	}
	return hosts_is_name(word) ? STN_OK
				   : mistake(reader, word, "no host's name");
}

static enum stn_err
parse_word(struct reader *reader, const char *word, struct stn_host *host)
{
	uint32_t most;

	if (!strncmp(word, "slots=", 6))
		return hosts_parse_nodes(reader, word + 6, &host->nodes);
	if (!strncmp(word, "max_slots=", 10) ||
	    !strncmp(word, "max-slots=", 10))
		return hosts_parse_nodes(reader, word + 10, &most);
	if (!strncmp(word, "cluster=", 8))
		return find_cluster(reader, word + 8, &host->cluster);
	return mistake(reader, word, "not slots=N or cluster=NAME");
}

static struct stn_host *
find_host(struct stn_hosts *hosts, const struct stn_host *like)
{
	for (uint32_t i = 0; i < hosts->count; i++)
		if (!strcmp(hosts->list[i].name, like->name) &&
		    hosts->list[i].cluster == like->cluster)
			return &hosts->list[i];
	return NULL;
}

/*
 * A host that is named again gets the nodes of both lines. A line without a
 * number counts as one node.
 */
static enum stn_err
hosts_add_nodes(struct reader *reader, struct stn_host *host, uint32_t nodes)
{
	host->nodes = (host->nodes ? host->nodes : 1) + (nodes ? nodes : 1);
	return host->nodes <= STN_HOSTS_NODES
		       ? STN_OK
		       : mistake(reader, host->name,
				 "to have more than 100000 nodes");
}

static enum stn_err
add_host(struct reader *reader, const struct stn_host *new)
{
	struct stn_hosts *hosts = reader->hosts;
	struct stn_host *host = find_host(hosts, new), *list;

	if (host)
		return hosts_add_nodes(reader, host, new->nodes);
	if (hosts->count == STN_HOSTS_NODES)
		return mistake(reader, new->name, "one host too many");
	list = reallocarray(hosts->list, hosts->count + 1, sizeof(list[0]));
	if (!list)
		return hosts_no_memory(reader);
	hosts->list = list;
	host = &list[hosts->count];
	*host = *new;
	host->name = strdup(new->name);
	if (!host->name)
		return hosts_no_memory(reader);
	hosts->count++;
	return STN_OK;
}

static enum stn_err
parse_host(struct reader *reader, char *line)
{
	struct stn_host host = { .cluster = reader->cluster };
	enum stn_err err;
	char *word, *rest;

	host.name = strtok_r(line, BLANKS, &rest);
	err = parse_name(reader, host.name, &host);
	while (!err && (word = strtok_r(NULL, BLANKS, &rest)))
		err = parse_word(reader, word, &host);
	if (err)
		return err;
	if (reader->hosts->cluster_count && host.cluster == NO_CLUSTER)
		return mistake(reader, host.name,
			       "in no cluster, and another host is");
	if (reader->hosts->count && host.cluster != NO_CLUSTER &&
	    reader->hosts->list[0].cluster == NO_CLUSTER)
		return mistake(reader, host.name,
			       "in a cluster, and another host is in none");
	return add_host(reader, &host);
}

static enum stn_err
hosts_parse_line(void *arg, char *line, size_t length)
{
	struct reader *reader = arg;

	reader->line++;
	if (strlen(line) != length)
		return mistake(reader, line, "followed by a zero byte");
	line[strcspn(line, "#")] = '\0';
	line += strspn(line, BLANKS);
	line[strcspn(line, "\r\n")] = '\0';
	if (!*line)
		return STN_OK;
	/* With a colon, the brackets are those of an address. */
	if (*line == '[' && !strchr(line, ':'))
		return parse_section(reader, line);
	return parse_host(reader, line);
}

/* Appends the hosts of @cluster to @sorted; returns the new @count. */
static uint32_t
move_cluster(const struct stn_hosts *hosts, uint32_t cluster,
	     struct stn_host *sorted, uint32_t count)
{
	for (uint32_t i = 0; i < hosts->count; i++)
		if (hosts->list[i].cluster == cluster)
			sorted[count++] = hosts->list[i];
	return count;
}

/* Sorts hosts by cluster, because ranks ascend from cluster to cluster. */
static enum stn_err
sort(struct reader *reader)
{
	struct stn_hosts *hosts = reader->hosts;
	struct stn_host *sorted = calloc(hosts->count, sizeof(sorted[0]));
	uint32_t count = 0;

	if (!sorted)
		return hosts_no_memory(reader);
	for (uint32_t i = 0; i < hosts->cluster_count; i++) {
		uint32_t before = count;

		count = move_cluster(hosts, i, sorted, count);
		if (count > before)
			continue;
		free(sorted);
		return stn_because(reader->why, STN_INVALID,
				   "%.100s: cluster \"%.60s\" has no hosts",
				   reader->name, hosts->clusters[i]);
	}
	free(hosts->list);
	hosts->list = sorted;
	return STN_OK;
}

/* Without named clusters, all hosts form one cluster without a name. */
static enum stn_err
arrange(struct reader *reader)
{
	struct stn_hosts *hosts = reader->hosts;

	if (hosts->cluster_count)
		return sort(reader);
	for (uint32_t i = 0; i < hosts->count; i++)
		hosts->list[i].cluster = 0;
	return STN_OK;
}

enum stn_err
stn_hosts_parse(FILE *in, const char *name, struct stn_hosts *hosts,
		struct stn_why *why)
{
	struct reader reader = { hosts, name, 0, NO_CLUSTER, why };
	enum stn_err err;

	*hosts = (struct stn_hosts){ .count = 0 };
	err = stn_lines_read(in, name, hosts_parse_line, &reader, why);
	if (!err && !hosts->count)
		err = stn_because(why, STN_INVALID,
				  "%.100s names no host; write one per line",
				  name);
	if (!err)
		err = arrange(&reader);
	if (err)
		stn_hosts_fini(hosts);
	return err;
}

enum stn_err
stn_hosts_read(const char *path, struct stn_hosts *hosts, struct stn_why *why)
{
	FILE *in;
	enum stn_err err = stn_lines_open(path, "hosts", &in, why);

	if (err)
		return err;
	err = stn_hosts_parse(in, path, hosts, why);
	fclose(in);
	return err;
}

void
stn_hosts_fini(struct stn_hosts *hosts)
{
	for (uint32_t i = 0; i < hosts->count; i++)
		free(hosts->list[i].name);
	for (uint32_t i = 0; i < hosts->cluster_count; i++)
		free(hosts->clusters[i]);
	free(hosts->list);
	free(hosts->clusters);
	*hosts = (struct stn_hosts){ .count = 0 };
}
