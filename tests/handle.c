/*
 * handle.c: messages that are well-formed and make no sense, or not now. Each
 * ends the run with one line that says who sent what; or is let go, if it may
 * only be late. A node takes each in a process of its own.
 */
#include <string.h>
#include <sys/wait.h>

#include <sateen.h>
#include "steal/node.h"
#include "tests/tap.h"
#include "transport/ops.h"

#define NODES 8 /* in two clusters */
#define FROM 6

STN_TASK(int, nothing, int, n)
{
	return n;
}

static const struct stn_task *tasks[] = { &nothing_task };

/* Who gets the message; its balancer. */
struct receiver {
	uint32_t rank;
	const char *balancer;
};

static void
init(struct stn_node *node, const struct receiver *receiver)
{
	struct stn_opening opening = { .topology = &node->topology,
				       .rank = receiver->rank,
				       .provider = "auto",
				       .handler = stn_node_handle,
				       .arg = node };
	struct stn_why why;

	stn_config_defaults(&node->config);
	node->topology = (struct stn_topology){ .nodes = NODES, .clusters = 2 };
	node->rank = receiver->rank;
	node->cluster = stn_cluster_of(&node->topology, node->rank);
	node->table = (struct stn_table){ tasks, 1 };
	node->wireup = stn_wireup_threads(1)[0];
	node->balancer = stn_balancer_find(receiver->balancer);
	node->balance =
		calloc(1, node->balancer->state_bytes +
				  NODES * node->balancer->member_bytes + 1);
	TAILQ_INIT(&node->homeward);
	TAILQ_INIT(&node->foreign);
	stn_random_seed(&node->random, 1, 1);
	if (stn_transport_open("loop", &opening, &node->transport, &why))
		abort();
}

static _Noreturn void
take(const struct receiver *receiver, int complaints,
     const struct stn_arrival *arrival)
{
	struct stn_node *node = calloc(1, sizeof(*node));

	dup2(complaints, STDERR_FILENO);
	init(node, receiver);
	stn_node_handle(node, &arrival->message);
	_exit(EXIT_SUCCESS);
}

/* What it says on stderr; true if it ends as @status. */
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

/* It ends the run, with this one line. */
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
		 arrival_of(STN_STATS, NULL, 0, sizeof(struct stn_stats)));
	ends_run("sent a malformed message of kind 77",
		 (struct receiver){ 4, "rs" }, arrival_of(77, NULL, 0, 0));
	is_let_go("a cancel of a request that was answered",
		  arrival_of(STN_CANCEL, words, 4, 0));
	is_let_go("a second result", arrival_of(STN_RESULT, words, 8, 4));
}

int
main(void)
{
	tap_begin();
	test_records();
	test_loads();
	test_answers();
	return tap_end();
}
