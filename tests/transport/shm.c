/*
 * shm.c: nodes that share memory are woken by every event they wait for, and
 * never wait for a node that is gone.
 */
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tests/transport/shm_other.h"

#define ROUNDS 2000

/*
 * Makes progress until *@count reaches @target, asleep whenever there is
 * nothing to do, without a limit: after a lost wake the alarm ends the test.
 * Calls the backend's own functions, as the layer above would also wake up to
 * probe peers.
 */
static void
sleep_until(struct node *node, const unsigned *count, unsigned target)
{
	struct stn_transport *transport = node->transport;
	struct pollfd bell = { .fd = transport->limits.fd, .events = POLLIN };

	while (*count < target) {
		if (transport->ops->progress(transport))
			continue;
		if (transport->ops->arm(transport) == STN_FOREVER)
			poll(&bell, 1, -1);
	}
}

static void
echo(struct node *node, uint32_t to, bool first)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t bytes = i % 50 ? i % 100 : LARGE;

		if (first)
			post(node, to, bytes);
		sleep_until(node, &node->taken, i + 1);
		if (!first)
			post(node, to, bytes);
	}
	sleep_until(node, &node->done, node->sent);
}

static void
other_echo(struct node *node)
{
	echo(node, 0, false);
}

static void
other_take(struct node *node)
{
	sleep_until(node, &node->taken, ROUNDS);
}

static void
test_wakes(void)
{
	struct other other;
	struct node node;

	if (!tap_ok(other_start(&other, &node, other_echo),
		    "two processes connect to each other"))
		return;
	echo(&node, 1, true);
	tap_ok(node.taken == ROUNDS && node.done == ROUNDS && !node.lost,
	       "%u messages, small and large, wake processes that sleep",
	       ROUNDS);
	other_end(&other, 0);
	node_close(&node);
	if (!other_start(&other, &node, other_take))
		return;
	for (unsigned i = 0; i < ROUNDS; i++)
		post(&node, 1, 5000);
	sleep_until(&node, &node.done, ROUNDS);
	tap_ok(!node.lost, "a sender that sleeps is woken when there is room");
	other_end(&other, 0);
	node_close(&node);
}

/* May the node sleep, and is its pipe empty? */
static bool
sleeps(struct node *node)
{
	struct stn_transport *transport = node->transport;
	struct pollfd bell = { .fd = transport->limits.fd, .events = POLLIN };

	return transport->ops->arm(transport) == STN_FOREVER &&
	       !poll(&bell, 1, 0);
}

static bool
is_woken(const struct node *node)
{
	struct pollfd bell = { .fd = node->transport->limits.fd,
			       .events = POLLIN };

	return poll(&bell, 1, 0) == 1;
}

static void
test_news(void)
{
	struct node nodes[NODES];

	if (!pair_open(nodes))
		return;
	tap_ok(sleeps(&nodes[1]), "a node without any message may sleep");
	post(&nodes[0], 1, 10);
	tap_ok(is_woken(&nodes[1]), "its first message wakes it");
	tap_ok(!sleeps(&nodes[1]),
	       "it may not sleep before it has read that message");
	settle(&nodes[1]);
	post(&nodes[0], 1, 10);
	tap_ok(!sleeps(&nodes[1]),
	       "it may not sleep before it has read the next message either");
	settle(&nodes[1]);
	while (nodes[0].done == nodes[0].sent)
		post(&nodes[0], 1, 4000);
	tap_ok(sleeps(&nodes[0]), "a node that waits for room may sleep");
	settle(&nodes[1]);
	tap_ok(is_woken(&nodes[0]) && !sleeps(&nodes[0]),
	       "it is woken when there is room");
	settle(&nodes[0]);
	settle(&nodes[1]);
	post(&nodes[0], 1, LARGE);
	tap_ok(sleeps(&nodes[0]), "a node that has made an offer may sleep");
	settle(&nodes[1]);
	tap_ok(is_woken(&nodes[0]) && !sleeps(&nodes[0]),
	       "it is woken when the offer is pulled");
	pair_close(nodes);
}

/*
 * A node that has seen a sleeper may be held up before it writes to the
 * sleeper's pipe.
 */
static void
test_late_bell(void)
{
	struct node nodes[NODES];
	struct shm *shm;
	bool slept;

	if (!pair_open(nodes))
		return;
	shm = shm_inside(&nodes[1]);
	slept = sleeps(&nodes[1]);
	atomic_fetch_and(&shm->segment->state, ~(uint32_t)SHM_SLEEPING);
	slept = slept && sleeps(&nodes[1]);
	tap_ok(slept && write(shm->ringer, "", 1) == 1 && is_woken(&nodes[1]),
	       "a wake that comes late wakes the node for nothing");
	tap_ok(sleeps(&nodes[1]) && sleeps(&nodes[1]), "it does so only once");
	stn_transport_disarm(nodes[1].transport);
	post(&nodes[0], 1, 10);
	tap_ok(!is_woken(&nodes[1]), "a node that polls is not woken");
	settle(&nodes[1]);
	tap_ok(sleeps(&nodes[1]), "it may sleep again afterwards");
	atomic_fetch_and(&shm->segment->state, ~(uint32_t)SHM_SLEEPING);
	stn_transport_disarm(nodes[1].transport);
	slept = write(shm->ringer, "", 1) == 1 && is_woken(&nodes[1]);
	stn_transport_disarm(nodes[1].transport);
	tap_ok(slept && !is_woken(&nodes[1]),
	       "while one thread polls, a late wake wakes the other only once");
	pair_close(nodes);
}

static void
test_closing(void)
{
	struct node nodes[NODES];

	if (!pair_open(nodes))
		return;
	post(&nodes[0], 1, LARGE);
	tap_ok(sleeps(&nodes[0]), "a node that waits for a peer may sleep");
	node_close(&nodes[1]);
	tap_ok(is_woken(&nodes[0]) && !sleeps(&nodes[0]),
	       "it is woken when the peer closes");
	settle(&nodes[0]);
	tap_ok(nodes[0].lost == 1, "its send to that peer is lost");
	node_close(&nodes[0]);
}

/* Offers a payload that the receiver can read, and lets it begin. */
static bool
begin_read(struct node nodes[NODES])
{
	struct iovec piece = { memory, READ_BYTES };

	if (!pair_open(nodes))
		return false;
	for (size_t i = 0; i < READ_BYTES; i++)
		memory[i] = (unsigned char)(i ^ i >> 11);
	memset(landing, 0, READ_BYTES);
	nodes[0].sent++;
	stn_transport_send(nodes[0].transport, 1, 1, "head", 4, &piece, 1,
			   count_done, &nodes[0]);
	stn_transport_progress(nodes[1].transport);
	return true;
}

static bool
has_landed(struct node nodes[NODES])
{
	return nodes[0].done == nodes[0].sent && !nodes[0].lost &&
	       nodes[1].taken == nodes[1].seen &&
	       !memcmp(memory, landing, READ_BYTES);
}

static void
test_read(void)
{
	struct node nodes[NODES];

	if (!begin_read(nodes))
		return;
	if (shm_inside(&nodes[1])->unreadable) {
		tap_skip("a node reads a large payload", "process_vm_readv");
		pair_close(nodes);
		return;
	}
	stn_transport_send(nodes[0].transport, 1, 1, "head", 4, NULL, 0, NULL,
			   NULL);
	stn_transport_progress(nodes[1].transport);
	tap_ok(nodes[1].seen == 2 && nodes[1].taken == 1 &&
		       !sleeps(&nodes[1]),
	       "messages arrive while a node reads a large payload");
	settle(&nodes[1]);
	settle(&nodes[0]);
	tap_ok(has_landed(nodes) &&
		       shm_inside(&nodes[1])->base.traffic.bytes_copied < LARGE,
	       "it reads all of it, without a copy through the ring");
	pair_close(nodes);
}

static void
test_read_fails(void)
{
	struct node nodes[NODES];

	if (!begin_read(nodes))
		return;
	shm_inside(&nodes[1])->peers[0].process = -1;
	while (!nodes[1].taken) {
		settle(&nodes[1]);
		settle(&nodes[0]);
	}
	settle(&nodes[0]);
	tap_ok(has_landed(nodes), "a payload whose read fails is streamed");
	pair_close(nodes);
	if (!begin_read(nodes))
		return;
	node_close(&nodes[0]);
	settle(&nodes[1]);
	tap_ok(!nodes[1].taken && !shm_inside(&nodes[1])->under_way,
	       "a read ends when the sender has closed");
	node_close(&nodes[1]);
}

/* More messages than one progress handles arrive before the payload's data. */
static void
test_last_words(void)
{
	struct node nodes[NODES];

	if (!pair_open(nodes))
		return;
	post(&nodes[0], 1, 100000);
	stn_transport_progress(nodes[1].transport);
	for (unsigned i = 0; i < 3 * SHM_BATCH; i++)
		post(&nodes[0], 1, 10);
	settle(&nodes[0]);
	node_close(&nodes[0]);
	settle(&nodes[1]);
	tap_ok(nodes[1].taken == 3 * SHM_BATCH + 1,
	       "messages that a peer sent before it closed are taken");
	node_close(&nodes[1]);
}

static void
other_hang(struct node *node)
{
	(void)node;
	pause();
}

static void
test_death(void)
{
	struct other other;
	struct node node;

	if (!other_start(&other, &node, other_hang))
		return;
	for (unsigned i = 0; i < 500; i++)
		post(&node, 1, i % 10 ? 4000 : LARGE);
	settle(&node);
	tap_ok(node.done && node.done < node.sent && !node.lost,
	       "most sends to a node that hangs stay under way");
	other_end(&other, SIGKILL);
	while (!node.dead)
		stn_transport_progress(node.transport);
	tap_ok(node.done == node.sent && node.lost,
	       "all of them end when it is killed");
	tap_ok(!shm_inside(&node)->under_way &&
		       !shm_inside(&node)->peers[1].segment,
	       "the memory shared with it is unmapped");
	node_close(&node);
}

/* Offers a payload that the receiver reads, and hangs. */
static void
other_offer(struct node *node)
{
	struct iovec piece = { memory, LARGE };

	memset(memory, 1, LARGE);
	stn_transport_send(node->transport, 0, 1, "head", 4, &piece, 1,
			   count_done, node);
	pause();
}

/* A copy of this process with a number that is free. Needs a privilege. */
static pid_t
fork_as(pid_t number)
{
	struct clone_args how = { .exit_signal = SIGCHLD,
				  .set_tid = (uintptr_t)&number,
				  .set_tid_size = 1 };

	return (pid_t)syscall(SYS_clone3, &how, sizeof(how));
}

/*
 * Another process gets the number of one that has offered a payload. Returns how
 * the offer was taken: SEEN, if the node has handled the message before it knew
 * of the death; WRONG, if it has taken the payload; UNABLE, if the number can't
 * be used again here.
 */
enum reuse { UNSEEN, SEEN, WRONG, UNABLE };

static enum reuse
reuse_number(struct other *other, struct node *node)
{
	struct other stranger = { other->process, -1 };

	while (!shm_has_news(shm_inside(node)))
		sched_yield();
	other_end(other, SIGKILL);
	if (fork_as(stranger.process) < 0)
		return UNABLE;
	if (getpid() == stranger.process) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	while (!node->dead)
		stn_transport_progress(node->transport);
	other_end(&stranger, SIGKILL);
	if (node->taken || node->malformed || node->seen > 1) {
		printf("# messages: %u seen, %u taken, %u malformed\n",
		       node->seen, node->taken, node->malformed);
		return WRONG;
	}
	return node->seen ? SEEN : UNSEEN;
}

/* A node that has waited for the processor may know of the death first. */
static void
test_reused(void)
{
	enum reuse reuse = UNSEEN;

	memset(memory, 2, LARGE);
	for (int tries = 0; tries < 100 && reuse == UNSEEN; tries++) {
		struct other other;
		struct node node;

		if (!other_start(&other, &node, other_offer)) {
			printf("# the other node can't start, try %d\n", tries);
			break;
		}
		reuse = reuse_number(&other, &node);
		node_close(&node);
	}
	if (reuse == UNABLE)
		tap_skip("a number is used again", "CAP_CHECKPOINT_RESTORE");
	else
		tap_ok(reuse == SEEN, "the memory of a process with the same "
				      "number is no payload");
}

/*
 * A node that has no descriptors left can't open its peer's memory, but the peer
 * can open that of the node.
 */
static void
test_shortage(void)
{
	unsigned char address[STN_ADDRESS_BYTES];
	struct rlimit before, none;
	struct node nodes[NODES];
	enum stn_err err, later;
	struct stn_why why = { "" };
	size_t bytes;

	if (!node_open_by(&nodes[0], 0, "shm+loop") ||
	    !node_open_by(&nodes[1], 1, "shm+loop")) {
		tap_ok(false, "two nodes open shm+loop");
		return;
	}
	bytes = stn_transport_address(nodes[1].transport, address);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	err = connect_to(&nodes[0], 1, address, bytes, &why);
	setrlimit(RLIMIT_NOFILE, &before);
	printf("# %s\n", why.text);
	tap_ok(err == STN_NO_MEMORY && strstr(why.text, "ulimit -n"),
	       "a node without descriptors chooses no other route than its "
	       "peer: it fails");
	later = connect_to(&nodes[0], 1, address, bytes, &why);
	tap_ok(!later, "and connects when it has some");
	node_close(&nodes[0]);
	node_close(&nodes[1]);
}

int
main(void)
{
	tap_begin();
	test_news();
	test_late_bell();
	test_closing();
	test_read();
	test_read_fails();
	test_last_words();
	test_wakes();
	test_death();
	test_reused();
	test_shortage();
	return tap_end();
}
