/*
 * hostfile.c: the syntax of a file of hosts, and the messages for mistakes.
 */
#include <stdio.h>
#include <string.h>

#include "launch/run/hosts.h"
#include "tests/tap.h"

static struct stn_hosts hosts;
static struct stn_why why;

static enum stn_err
parse(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	enum stn_err err;

	stn_hosts_fini(&hosts);
	why.text[0] = '\0';
	err = stn_hosts_parse(in, "hosts", &hosts, &why);
	fclose(in);
	return err;
}

static bool
is(uint32_t index, const char *name, uint32_t nodes, uint32_t cluster)
{
	const struct stn_host *host = &hosts.list[index];

	return index < hosts.count && !strcmp(host->name, name) &&
	       host->nodes == nodes && host->cluster == cluster;
}

static void
test_hosts(void)
{
	tap_ok(!parse("# ours\nnode1\n\n  me@node2.site:4 # large\n"
		      "10.0.0.3 slots=2 max_slots=8\r\nfe80::1\n") &&
		       hosts.count == 4 && !hosts.cluster_count &&
		       is(0, "node1", 0, 0) && is(1, "me@node2.site", 4, 0) &&
		       is(2, "10.0.0.3", 2, 0) && is(3, "fe80::1", 0, 0),
	       "each line has a host, with a number of nodes or without");
	tap_ok(!parse("[::1]:4\nme@[fe80::1]\n") && is(0, "::1", 4, 0) &&
		       is(1, "me@fe80::1", 0, 0),
	       "the brackets of an address are removed for ssh");
	tap_ok(!parse("a\nb slots=3\na\na\nb") && hosts.count == 2 &&
		       is(0, "a", 3, 0) && is(1, "b", 4, 0),
	       "a host that is named again has the nodes of all lines");
}

static void
test_clusters(void)
{
	tap_ok(!parse("[amsterdam]\na1\na2 cluster=delft\n[cluster delft]\n"
		      "d1:2\n[ amsterdam ]\na3\n") &&
		       hosts.cluster_count == 2 &&
		       !strcmp(hosts.clusters[0], "amsterdam") &&
		       !strcmp(hosts.clusters[1], "delft") && hosts.count == 4,
	       "a section is a cluster, and cluster=NAME names one, too");
	tap_ok(is(0, "a1", 0, 0) && is(1, "a3", 0, 0) && is(2, "a2", 0, 1) &&
		       is(3, "d1", 2, 1),
	       "hosts are sorted by cluster, in the order of the file");
	tap_ok(!parse("x cluster=1\nx cluster=2\n") && is(0, "x", 0, 0) &&
		       is(1, "x", 0, 1),
	       "a host may be in two clusters");
}

static void
refuses(const char *text, const char *words)
{
	tap_ok(parse(text) && strstr(why.text, words) && !hosts.list,
	       "refused: %s", why.text);
}

static void
test_mistakes(void)
{
	refuses("\n# nobody\n", "hosts names no host");
	refuses("a\nb slots=0\n", "line 2: \"0\" is not a number of nodes");
	refuses("a slots=many\n", "\"many\" is not a number of nodes");
	refuses("a:\n", "\"\" is not a number of nodes");
	refuses("a:100001\n", "from 1 to 100000");
	refuses("a:60000\na:60000\n", "more than 100000 nodes");
	refuses("a slot=4\n", "\"slot=4\" is not slots=N or cluster=NAME");
	refuses("a b\n", "\"b\" is not slots=N");
	refuses("-oProxyCommand=sh\n", "is no host's name");
	refuses("a;reboot\n", "is no host's name");
	refuses("[::1\n", "not [ADDRESS]");
	refuses("[::1]x\n", "not [ADDRESS]");
	refuses("[::1]:0\n", "not a number of nodes");
	refuses("[]:1\n", "is no host's name");
	refuses("a cluster=\n", "\"\" is no cluster's name");
	refuses("[x\n", "not [NAME]");
	refuses("[x] a\n", "not [NAME]");
	refuses("[]\n", "not [NAME]");
	refuses("[cluster x y]\n", "not [NAME]");
	refuses("a\n[x]\nb\n", "line 3: \"b\" is in a cluster, and another");
	refuses("a cluster=x\nb\n", "\"b\" is in no cluster, and another");
	refuses("[x]\n[y]\na\n", "cluster \"x\" has no hosts");
}

int
main(void)
{
	tap_begin();
	test_hosts();
	test_clusters();
	test_mistakes();
	stn_hosts_fini(&hosts);
	return tap_end();
}
