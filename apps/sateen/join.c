/*
 * join.c: `sateen join`: reads the command line, then runs the cluster's
 * gateway (launch/gateway/gateway.h).
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "apps/sateen/commands.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_GATEWAYS

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/transport.h"
#include "transport/units.h"
#include "launch/config_check.h"
#include "launch/gateway/gateway.h"
#include "launch/gateway/meeting.h"
#include "transport/far/handshake.h"
#include "launch/gateway/trunk.h"

#define SECRET_LEAST 16
#define SECRET_MOST 4096
#define WAIT "600s"
#define SILENCE "4s"

enum {
	RUN = 1,
	AT,
	SECRET_FILE,
	CLUSTER,
	CLUSTERS,
	MAX_NODES,
	MAX_CLUSTERS,
	PORTS,
	INTERFACE,
	ADDRESS,
	WAIT_FOR,
	SILENCE_FOR,
	HELP
};

static const struct option names[] = {
	{ "run", required_argument, NULL, RUN },
	{ "at", required_argument, NULL, AT },
	{ "secret-file", required_argument, NULL, SECRET_FILE },
	{ "cluster", required_argument, NULL, CLUSTER },
	{ "clusters", required_argument, NULL, CLUSTERS },
	{ "max-nodes", required_argument, NULL, MAX_NODES },
	{ "max-clusters", required_argument, NULL, MAX_CLUSTERS },
	{ "ports", required_argument, NULL, PORTS },
	{ "interface", required_argument, NULL, INTERFACE },
	{ "address", required_argument, NULL, ADDRESS },
	{ "wait", required_argument, NULL, WAIT_FOR },
	{ "silence", required_argument, NULL, SILENCE_FOR },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: sateen join --run NAME --at HOST:PORT --secret-file FILE\n"
	"           --cluster NAME --clusters N [options] -- command...\n"
	"\n"
	"Run this once on each cluster, in place of its launcher, with the "
	"same\n"
	"--run, --at, --clusters and secret. The command starts the cluster's "
	"nodes:\n"
	"  sateen join --run tsp1 --at redis.example.org:6379 --secret-file s "
	"\\\n"
	"      --cluster amsterdam --clusters 2 -- srun --mpi=pmix -n 64 "
	"./tsp\n"
	"\n"
	"  --run NAME         the same for all, of no other run in progress\n"
	"  --at HOST:PORT     a Redis server that all clusters can reach; its\n"
	"                     password is in STN_REDIS_PASSWORD\n"
	"  --secret-file F    a secret, the same for all, readable only by "
	"you;\n"
	"                     to make one:\n"
	"                     (umask 77; head -c 32 /dev/urandom | base64 >F)\n"
	"  --cluster NAME     this cluster; the first by name has node 0\n"
	"  --clusters N       number of clusters in the run, from 2 to 256\n"
	"  --max-nodes N      the run has room for so many nodes: another "
	"cluster\n"
	"                     can join it while it runs, by the same --run and "
	"secret\n"
	"  --max-clusters N   several clusters can, which share this room, until\n"
	"                     so many have been in the run; else one\n"
	"  --ports A-B        listen on these ports; else any that are free\n"
	"  --interface I      listen on I only, and tell others its addresses\n"
	"  --address PLACE    tell others this address instead: 192.0.2.1,\n"
	"                     [2001:db8::1]:9000\n"
	"  --wait TIME        how long to wait for the other clusters (" WAIT
	")\n"
	"  --silence TIME     a gateway that is silent for longer counts as "
	"dead (" SILENCE ")\n";

static bool
complain(const char *option, const char *text)
{
	fprintf(stderr, "sateen join: %s: %s\n", option, text);
	return false;
}

/* Reports the option before @next, which getopt has refused. */
static int
refuse(int option, char **argv, int next)
{
	fprintf(stderr, "sateen join: %s %s; see sateen join --help\n",
		option == ':' ? "no value for" : "no option", argv[next - 1]);
	return 2;
}

static bool
check_secret(int fd, const char *file)
{
	struct stat is;

	if (fd < 0 || fstat(fd, &is)) {
		fprintf(stderr, "sateen join: can't read %s: %s\n", file,
			strerror(errno));
		return false;
	}
	if (S_ISREG(is.st_mode) && is.st_mode & 077) {
		fprintf(stderr,
			"sateen join: others can read the secret in %s; make "
			"a new one, with umask 77\n",
			file);
		return false;
	}
	return true;
}

/* Reads to the end of the file, or until @bytes are full. -1: errno says why. */
static ssize_t
read_all(int fd, unsigned char *bytes, size_t size)
{
	size_t count = 0;
	ssize_t got;

	do {
		got = read(fd, bytes + count, size - count);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		count += (size_t)got;
	} while (got && count < size);
	return (ssize_t)count;
}

/* Reads the secret without trailing ends of lines, which editors add. */
static bool
read_secret(const char *file, struct stn_gateway_options *options)
{
	static unsigned char secret[SECRET_MOST + 1];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool good = check_secret(fd, file);
	ssize_t got = good ? read_all(fd, secret, sizeof(secret)) : -1;

	if (good && got < 0)
		complain(file, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (got < 0)
		return false;
	if (got > SECRET_MOST)
		return complain("--secret-file", "the secret is too long; 4096 "
						 "bytes are enough");
	while (got && (secret[got - 1] == '\n' || secret[got - 1] == '\r'))
		got--;
	options->secret = secret;
	options->secret_bytes = (size_t)got;
	if (got >= SECRET_LEAST)
		return true;
	return complain("--secret-file", "the secret is too short; make one by "
					 "head -c 32 /dev/urandom | base64");
}

static bool
check(struct stn_gateway_options *options, const char *const *said)
{
	uint64_t clusters, max_nodes = 0, max_clusters = 0;

	options->run = said[RUN];
	options->at = said[AT];
	options->cluster = said[CLUSTER];
	options->interface = said[INTERFACE];
	options->address = said[ADDRESS];
	if (!options->run || !stn_name_good(options->run))
		return complain("--run", "wants a name of letters, digits, . _ "
					 "and -, 63 at most");
	if (!options->cluster || !stn_name_good(options->cluster))
		return complain("--cluster", "wants a name of letters, digits, "
					     ". _ and -, 63 at most");
	if (!options->at || !stn_meeting_at_good(options->at))
		return complain("--at", "wants HOST:PORT of a Redis server, or "
					"[IPV6]:PORT");
	if (!said[CLUSTERS] ||
	    stn_parse_count(said[CLUSTERS], 2, STN_CLUSTERS_MOST, &clusters))
		return complain("--clusters", "wants how many clusters there "
					      "will be, from 2 to 256");
	options->clusters = (uint32_t)clusters;
	if (said[MAX_NODES] &&
	    stn_parse_count(said[MAX_NODES], 1, INT32_MAX, &max_nodes))
		return complain("--max-nodes", "wants a number of nodes");
	options->max_nodes = (uint32_t)max_nodes;
	if (said[MAX_CLUSTERS] &&
	    (!max_nodes ||
	     stn_parse_count(said[MAX_CLUSTERS], clusters + 1,
			     STN_CLUSTERS_MOST, &max_clusters)))
		return complain("--max-clusters",
				"wants a number above that of --clusters, 256 "
				"at most, and --max-nodes");
	if (max_nodes)
		options->max_clusters = (uint32_t)(
			max_clusters ? max_clusters : clusters + 1);
	if (stn_parse_duration(said[WAIT_FOR], &options->wait_ns) ||
	    stn_parse_duration(said[SILENCE_FOR], &options->silence_ns))
		return complain("--wait, --silence", "want a time, such as 5s");
	if (options->silence_ns && options->silence_ns < STN_SECOND_NS)
		return complain("--silence", "wants a second at least, or 0s");
	if (said[PORTS] &&
	    !stn_parse_ports(said[PORTS], &options->low, &options->high))
		return complain("--ports", "wants ports, such as 9000-9010");
	if (!said[SECRET_FILE])
		return complain("--secret-file", "wants a file with the run's "
						 "secret");
	if (!*options->command)
		return complain("command", "is missing; give the one that "
					   "starts this cluster's nodes");
	return read_secret(said[SECRET_FILE], options);
}

int
join(int argc, char **argv)
{
	struct stn_gateway_options options = { .run = NULL };
	const char *said[HELP] = {
		[WAIT_FOR] = WAIT,
		[SILENCE_FOR] = SILENCE,
	};
	int option;

	while ((option = getopt_long(argc, argv, "+:", names, NULL)) != -1) {
		if (option == HELP) {
			fputs(help, stdout);
			return EXIT_SUCCESS;
		}
		if (option > HELP) /* '?' or ':' */
			return refuse(option, argv, optind);
		said[option] = optarg;
	}
	options.command = argv + optind;
	if (!check(&options, said))
		return 2;
	return stn_gateway_run(&options);
}

#else

int
join(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fputs("sateen join: not built in; install libssl-dev and "
	      "libhiredis-dev, configure and make again\n",
	      stderr);
	return EXIT_FAILURE;
}

#endif
