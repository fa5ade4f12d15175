/*
 * simgrid.cpp: random stealing of a tree, as SimGrid actors (S4U): what `sateen
 * sim -b rs ./tree` simulates, without Sateen. `make bench-sim` compares both.
 *
 * Each node has two actors. The worker visits its subtrees, and asks a random
 * node for one if it has none. The server takes the node's messages, also while
 * the worker is inside a leaf: it grants the oldest subtree or refuses, and
 * takes answers and results. After a refusal the worker pauses for 20 us, then
 * for twice as long, up to 1 ms.
 *
 *	simgrid NODES BRANCHES DEPTH LEAF_SECONDS LATENCY_SECONDS [SIMGRID OPTIONS]
 *
 * Prints the virtual time, the leaves, the messages, and the events: messages
 * that were taken, and ends of sleeps and of waits of workers.
 */
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

static const double pause_first = 20e-6, pause_longest = 1e-3;
static const double precision = 1e-9; /* SimGrid's */
static const int header_bytes = 16, record_bytes = 128;

static int branches;
static double leaf_seconds;
static uint64_t messages, events;

struct Subtree {
	int depth;
	bool stolen = false, done = false;
	uint64_t leaves = 0; /* the result */
};

enum Kind { REQUEST, GRANT, REFUSE, RESULT, EXIT };

/* All nodes share this process: a grant and its result name the subtree. */
struct Message {
	Kind kind;
	int from;
	Subtree *subtree;
	uint64_t leaves;
};

struct Node {
	s4u::Mailbox *mailbox;
	s4u::SemaphorePtr news = s4u::Semaphore::create(0);
	bool waiting = false; /* the worker waits for news */
	bool asked = false;   /* a request is out */
	bool over = false;
	double pause = 0, ask_at = 0;
	uint64_t random;
	std::deque<Subtree *> queue; /* newest at the back */
	Subtree *granted = nullptr;
	int victim = 0;
};

static std::vector<Node> nodes;

/* SplitMix64, as Sateen's balancers. */
static uint32_t
random_below(Node &node, uint32_t bound)
{
	uint64_t z = node.random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((z ^ (z >> 31)) >> 32) * bound >> 32;
}

static void
send(int to, const Message &message, int bytes)
{
	messages++;
	nodes[to].mailbox->put_init(new Message(message), bytes)->detach();
}

static void
wake(Node &node)
{
	if (!node.waiting)
		return;
	node.waiting = false; /* first: release lets other actors run */
	node.news->release();
}

/* Waits for a message, which may have come already. */
static void
wait(Node &node)
{
	node.waiting = true;
	node.news->acquire();
	events++;
}

static void
sleep(double seconds)
{
	s4u::this_actor::sleep_for(seconds);
	events++;
}

static void
answer(int rank, int thief)
{
	Node &node = nodes[rank];
	Subtree *oldest;

	if (node.queue.empty()) {
		send(thief, { REFUSE, rank, nullptr, 0 }, header_bytes);
		return;
	}
	oldest = node.queue.front();
	node.queue.pop_front();
	oldest->stolen = true;
	send(thief, { GRANT, rank, oldest, 0 }, record_bytes);
}

static void
refused(Node &node)
{
	node.asked = false;
	node.ask_at = s4u::Engine::get_clock() + node.pause;
	node.pause = node.pause ? 2 * node.pause : pause_first;
	if (node.pause > pause_longest)
		node.pause = pause_longest;
}

static void
take(int rank, const Message &message)
{
	Node &node = nodes[rank];

	events++;
	switch (message.kind) {
	case REQUEST:
		answer(rank, message.from);
		return;
	case GRANT:
		node.asked = false;
		node.ask_at = node.pause = 0;
		node.granted = message.subtree;
		node.victim = message.from;
		break;
	case REFUSE:
		refused(node);
		break;
	case RESULT:
		message.subtree->leaves = message.leaves;
		message.subtree->done = true;
		break;
	case EXIT:
		node.over = true;
		break;
	}
	wake(node);
}

static void
serve(int rank)
{
	while (!nodes[rank].over)
		take(rank, *nodes[rank].mailbox->get_unique<Message>());
}

static uint64_t visit(int rank, int depth);

/* Runs a stolen subtree, or asks for one. Waits. */
static void
steal(int rank)
{
	Node &node = nodes[rank];
	Subtree *subtree = node.granted;
	int victim = node.victim;
	uint32_t choice;

	if (subtree) {
		node.granted = nullptr;
		uint64_t leaves = visit(rank, subtree->depth);
		send(victim, { RESULT, rank, subtree, leaves }, header_bytes);
	} else if (node.asked || nodes.size() == 1) {
		wait(node);
	} else if (s4u::Engine::get_clock() + precision < node.ask_at) {
		sleep(node.ask_at - s4u::Engine::get_clock());
	} else {
		choice = random_below(node, nodes.size() - 1);
		choice += (int)choice >= rank;
		node.asked = true;
		send(choice, { REQUEST, rank, nullptr, 0 }, header_bytes);
	}
}

static uint64_t
visit(int rank, int depth)
{
	Node &node = nodes[rank];
	std::vector<Subtree> children(branches, Subtree{ depth - 1 });
	uint64_t leaves = 0;

	if (!depth) {
		sleep(leaf_seconds);
		return 1;
	}
	for (Subtree &child : children)
		node.queue.push_back(&child);
	for (int i = branches; i--;) {
		if (!children[i].stolen) {
			node.queue.pop_back();
			leaves += visit(rank, depth - 1);
			continue;
		}
		while (!children[i].done)
			steal(rank);
		leaves += children[i].leaves;
	}
	return leaves;
}

static void
work(int rank, int depth)
{
	uint64_t leaves;

	if (rank) {
		while (!nodes[rank].over)
			steal(rank);
		return;
	}
	leaves = visit(rank, depth);
	printf("leaves %llu time %.6f\n", (unsigned long long)leaves,
	       s4u::Engine::get_clock());
	for (size_t i = 0; i < nodes.size(); i++)
		send(i, { EXIT, rank, nullptr, 0 }, header_bytes);
}

/* One cluster: each node has a link of its own, as in Sateen's LAN. */
static void
make_nodes(int depth, double latency)
{
	s4u::NetZone *zone = s4u::create_star_zone("cluster");
	std::vector<s4u::Host *> hosts;

	for (size_t i = 0; i < nodes.size(); i++) {
		std::string name = std::to_string(i);
		s4u::Link *link = zone->create_link("link" + name, 1e9)
					  ->set_latency(latency / 2)
					  ->seal();

		hosts.push_back(zone->create_host(name, 1e9)->seal());
		zone->add_route(hosts[i]->get_netpoint(), nullptr, nullptr,
				nullptr, { s4u::LinkInRoute(link) }, true);
		nodes[i].mailbox = s4u::Mailbox::by_name(name);
		nodes[i].random = i + 1;
	}
	zone->seal();
	for (size_t i = 0; i < nodes.size(); i++) {
		std::string name = std::to_string(i);

		nodes[i].mailbox->set_receiver(
			s4u::Actor::create("s" + name, hosts[i], serve, (int)i));
		s4u::Actor::create("w" + name, hosts[i], work, (int)i, depth);
	}
}

int
main(int argc, char **argv)
{
	s4u::Engine engine(&argc, argv);

	if (argc != 6) {
		fprintf(stderr, "usage: simgrid NODES BRANCHES DEPTH LEAF "
				"LATENCY [SIMGRID OPTIONS]\n");
		return 2;
	}
	nodes.resize(atoi(argv[1]));
	branches = atoi(argv[2]);
	leaf_seconds = atof(argv[4]);
	make_nodes(atoi(argv[3]), atof(argv[5]));
	engine.run();
	printf("messages %llu events %llu\n", (unsigned long long)messages,
	       (unsigned long long)events);
	return 0;
}
