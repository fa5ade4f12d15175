/*
 * dispatch.c: messages that are well-formed, but make no sense when they come.
 * Each ends the run with one line that names the sender and the message. A
 * message that is only late is ignored. A node of its own process takes each.
 */
#include <string.h>
#include <sys/wait.h>

#include <sateen.h>
#include "launch/services.h"
#include "launch/settings.h"
#include "node/dispatch.h"
#include "node/stats/report.h"
#include "node/stats/tally.h"
#include "steal/program.h"
#include "steal/wire.h"
#include "node/node.h"
#include "tests/tap.h"
#include "transport/ops.h"

#define NODES 8 /* in two clusters */
#define FROM 6

STN_TASK(int, nothing, int, n)
{
	return n;
}

static const struct stn_task *tasks[] = { &nothing_task };

/* The node that takes the message, and its balancer. */
struct receiver {
	uint32_t rank;
	const char *balancer;
};

/* The host of a node that takes one message: it writes a line, and ends. */
static void
fail(void *arg, uint32_t missed, const char *text)
{
	(void)arg;
	(void)missed;
	fprintf(stderr, "sateen: %s\n", text);
	_exit(EXIT_FAILURE);
}

static struct stn_node *
create(const struct receiver *receiver, struct stn_transport **transport_p)
{
	static struct stn_config config;
	static struct stn_topology topology = { .nodes = NODES, .clusters = 2 };
	static struct stn_program program = { .table = { tasks, 1 } };
	const struct stn_start start = { .config = &config,
					 .topology = &topology,
					 .rank = receiver->rank,
					 .services = stn_services,
					 .host = { .fail = fail },
					 .workers = 1,
					 .program = &program };
	struct stn_opening opening = { .topology = &topology,
				       .rank = receiver->rank,
				       .provider = "auto",
				       .handler = stn_dispatch };
	struct stn_node *node;
	struct stn_why why;

	stn_config_defaults(&config);
	strcpy(config.balancer, receiver->balancer);
	if (stn_node_create(&start, &node, &why))
		abort();
	opening.arg = node;
	if (stn_transport_open("loop", &opening, transport_p, &why))
		abort();
	node->transport = *transport_p;
	return node;
}

static _Noreturn void
take(const struct receiver *receiver, int complaints,
     const struct stn_arrival *arrival)
{
	struct stn_transport *transport;
	struct stn_node *node = create(receiver, &transport);

	dup2(complaints, STDERR_FILENO);
	stn_dispatch(node, &arrival->message);
	_exit(EXIT_SUCCESS);
}

/* Reads the line that the node writes; true if it exits with @status. */
static bool
ends(const struct receiver *receiver, int status,
     const struct stn_arrival *arrival, char line[1000])
{
	size_t length = 0;
	int ended, pipes[2];
	ssize_t got;
	pid_t child;

	if (pipe(pipes))
		return false;
	child = fork();
	if (!child)
		take(receiver, pipes[1], arrival);
	close(pipes[1]);
	while ((got = read(pipes[0], line + length, 999 - length)) > 0)
		length += (size_t)got;
	line[length] = '\0';
	close(pipes[0]);
	return waitpid(child, &ended, 0) == child && WIFEXITED(ended) &&
	       WEXITSTATUS(ended) == status;
}

static struct stn_arrival
arrival_of(uint8_t kind, const void *header, size_t bytes, size_t payload)
{
	return (struct stn_arrival){ .message = { .from = FROM,
						  .kind = kind,
						  .header = header,
						  .header_bytes = bytes,
						  .payload_bytes = payload },
				     .payload = header };
}

/* The message ends the run with the line @complaint. */
static void
ends_run(const char *complaint, struct receiver receiver,
	 struct stn_arrival arrival)
{
	char line[1000], expected[200];

	snprintf(expected, sizeof(expected), "sateen: node %u: node %u %s\n",
		 receiver.rank, FROM, complaint);
	tap_ok(ends(&receiver, EXIT_FAILURE, &arrival, line) &&
		       !strcmp(line, expected),
	       "the run ends, as node %u %s", FROM, complaint);
}

static void
is_let_go(const char *what, struct stn_arrival arrival)
{
	const struct receiver receiver = { 4, "chs" };
	char line[1000];

	tap_ok(ends(&receiver, EXIT_SUCCESS, &arrival, line) && !*line,
	       "%s is let go", what);
}

static struct stn_arrival
record_of(uint8_t kind, uint32_t rank, uint32_t number)
{
	static uint32_t header[6];

	header[0] = rank;
	header[3] = number;
	return arrival_of(kind, header, sizeof(header), 0);
}

static void
test_records(void)
{
	const struct receiver receiver = { 4, "rp" };

	ends_run("sent a record of a node that isn't there", receiver,
		 record_of(STN_PUSH, NODES, 0));
	ends_run("sent a malformed message of kind 5", receiver,
		 record_of(STN_PUSH, 0, 1));
	ends_run("granted what was not asked", receiver,
		 record_of(STN_GRANT, 0, 1));
}

static void
test_bundles(void)
{
	const struct receiver receiver = { 4, "lrs" };
	static uint32_t words[6] = { 1, NODES };

	ends_run("sent a malformed message of kind 26", receiver,
		 arrival_of(STN_BUNDLE, words, 4, 0));
	/* The payload is the header, which is its first bytes. */
	ends_run("sent a malformed message of kind 26", receiver,
		 arrival_of(STN_BUNDLE, words, 4, 19));
	ends_run("sent a malformed message of kind 27", receiver,
		 arrival_of(STN_RESULTS, words, 4, 11));
	ends_run("sent a malformed message of kind 27", receiver,
		 arrival_of(STN_RESULTS, words, 4, 13));
	is_let_go("a second result of several",
		  arrival_of(STN_RESULTS, words, 4, 12));
}

static void
test_loads(void)
{
	const uint32_t load = 3;
	struct stn_arrival arrival =
		arrival_of(STN_LOAD, &load, sizeof(load), 0);

	ends_run("tells its load to the wrong node",
		 (struct receiver){ 4, "rs" }, arrival);
	ends_run("tells its load to the wrong node",
		 (struct receiver){ 5, "cls" }, arrival);
	ends_run("tells its load to the wrong node",
		 (struct receiver){ 0, "cls" }, arrival);
}

static void
test_answers(void)
{
	const uint32_t words[2] = { 1, 1 };

	ends_run("refused what was not asked", (struct receiver){ 4, "rs" },
		 arrival_of(STN_REFUSE, words, 4, 0));
	ends_run("took what was not pushed", (struct receiver){ 4, "rp" },
		 arrival_of(STN_TAKEN, NULL, 0, 0));
	ends_run("reports to the wrong node", (struct receiver){ 4, "rs" },
		 arrival_of(STN_STATS, NULL, 0, sizeof(struct stn_tally_word)));
	ends_run("sent a malformed message of kind 77",
		 (struct receiver){ 4, "rs" }, arrival_of(77, NULL, 0, 0));
	is_let_go("a cancel of a request that was answered",
		  arrival_of(STN_CANCEL, words, 4, 0));
	is_let_go("a second result", arrival_of(STN_RESULT, words, 8, 4));
}

static void
test_ends(void)
{
	const struct receiver receiver = { 0, "rs" };
	const size_t bytes = sizeof(struct stn_tally_word);
	const uint32_t word = 0, status[4] = { 0 };

	is_let_go("an exit", arrival_of(STN_EXIT, status, sizeof(status), 0));
	ends_run("sent a malformed message of kind 8", receiver,
		 arrival_of(STN_EXIT, &word, 4, 0));
	ends_run("sent a malformed message of kind 8", receiver,
		 arrival_of(STN_EXIT, status, sizeof(status), 1));
	ends_run("sent a malformed message of kind 9", receiver,
		 arrival_of(STN_STATS, NULL, 0, bytes - 1));
	ends_run("sent a malformed message of kind 9", receiver,
		 arrival_of(STN_STATS, &word, 4, bytes));
}

int
main(void)
{
	tap_begin();
	test_records();
	test_bundles();
	test_loads();
	test_answers();
	test_ends();
	return tap_end();
}
