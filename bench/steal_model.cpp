/*
 * steal_model: an event simulation of random stealing between clusters, which
 * shares no code with the runtime. It tells what the published rules of RS and
 * CRS (van Nieuwpoort, Kielmann and Bal, PPoPP 2001) imply for trees of any
 * shape.
 *
 * Four clusters of 16 nodes, with links of 100 ms one way and 100 KB/s, do the
 * work of 4577 s of one node, as in that paper's adaptive integration. `make
 * bench-steal-model` prints a line for each shape of the tree of calls and each
 * balancer, of five runs: the range of the efficiency, and the mean numbers of
 * requests between clusters, and of those that were granted.
 *
 * The model. A call of more than a leaf's work spawns two calls, and the larger
 * has a fixed share of the work. The node runs one of them and keeps the other:
 * the larger, the smaller, or a random one first. A node without calls asks a
 * random other node. With RS it waits for the answer. With CRS it has one
 * request to another cluster under way, and meanwhile asks nodes of its own
 * cluster. A victim answers at once, also while it computes, and gives its
 * oldest call, or its newest one. The result of a stolen call has as many bytes
 * as the call, and no node waits for it. Inside a cluster a request and its
 * answer take 37 us. All nodes of a cluster share each directed link to another
 * cluster, where messages queue.
 */
#include <algorithm>
#include <cstdio>
#include <deque>
#include <queue>
#include <random>
#include <vector>

namespace
{

enum What { leaf_done, asked, answered };
enum First { either, smaller, larger };

struct Tree {
	double share; /* of the larger call */
	double leaf;  /* seconds */
	First first;
};

struct World {
	double work = 4577; /* seconds of one node */
	double latency = 0.1,
	       rate = 1e5;	      /* one way in seconds; bytes a second */
	int clusters = 4, nodes = 16; /* of each cluster */
};

struct Event {
	double at, work; /* of a leaf, or of the call that is given; 0: none */
	What what;
	int node, thief;
	bool operator<(const Event &other) const
	{
		return at > other.at;
	}
};

struct Node {
	std::deque<double> calls; /* their work, the newest at the end */
	bool busy = false, asks_near = false, asks_far = false;
};

class Run
{
      public:
	Run(const World &world, const Tree &tree, bool crs, bool newest,
	    unsigned seed)
	    : world(world), tree(tree), crs(crs), newest(newest), random(seed),
	      all(world.clusters * world.nodes),
	      link_free(world.clusters * world.clusters)
	{
	}

	/* Returns the efficiency in percent. */
	double simulate()
	{
		double left = world.work;

		all[0].calls.push_back(world.work);
		for (int i = 0; i < count(); i++)
			look_for_work(i);
		while (left > 1e-6 * tree.leaf) {
			const Event event = events.top();

			events.pop();
			now = event.at;
			left -= event.what == leaf_done ? event.work : 0;
			handle(event);
		}
		return 100 * world.work / (now * count());
	}
	long requests = 0, grants = 0; /* between clusters */

      private:
	const World world;
	const Tree tree;
	const bool crs, newest;
	std::mt19937 random;
	std::vector<Node> all;
	std::vector<double> link_free; /* when a directed link is free */
	std::priority_queue<Event> events;
	double now = 0;

	int count() const
	{
		return static_cast<int>(all.size());
	}
	int cluster(int node) const
	{
		return node / world.nodes;
	}
	bool near(int a, int b) const
	{
		return cluster(a) == cluster(b);
	}

	/* Returns when a message that is sent now arrives. */
	double arrival(int from, int to, int bytes)
	{
		if (near(from, to))
			return now + 18.5e-6;
		double &free =
			link_free[cluster(from) * world.clusters + cluster(to)];
		free = std::max(free, now) + bytes / world.rate;
		return free + world.latency;
	}

	/* Asks a random node, of the own cluster, of the others, or of all. */
	void ask(int thief, bool may_be_near, bool may_be_far)
	{
		int victim;

		do
			victim = static_cast<int>(random() % all.size());
		while (victim == thief ||
		       !(near(thief, victim) ? may_be_near : may_be_far));
		const bool far = !near(thief, victim);
		requests += far;
		(far ? all[thief].asks_far : all[thief].asks_near) = true;
		events.push({ arrival(thief, victim, 60), 0, asked, victim,
			      thief });
	}

	void look_for_work(int number)
	{
		Node &node = all[number];

		if (node.busy)
			return;
		if (!node.calls.empty()) {
			run_newest(number);
		} else if (crs) {
			if (!node.asks_far && world.clusters > 1)
				ask(number, false, true);
			if (!node.asks_near)
				ask(number, true, false);
		} else if (!node.asks_near && !node.asks_far) {
			ask(number, true, true);
		}
	}

	/* Goes down from the newest call to a leaf, and begins it. */
	void run_newest(int number)
	{
		Node &node = all[number];
		double call = node.calls.back();

		node.calls.pop_back();
		while (call > tree.leaf) {
			const bool large = tree.first == either
						   ? random() % 2
						   : tree.first == larger;
			const double part =
				call * (large ? tree.share : 1 - tree.share);

			node.calls.push_back(call - part);
			call = part;
		}
		node.busy = true;
		events.push({ now + call, call, leaf_done, number, number });
	}

	void answer(int victim, int thief)
	{
		std::deque<double> &calls = all[victim].calls;
		double call = 0;

		if (!calls.empty()) {
			call = newest ? calls.back() : calls.front();
			newest ? calls.pop_back() : calls.pop_front();
			grants += !near(victim, thief);
			arrival(thief, victim,
				150); /* the result uses the link */
		}
		events.push({ arrival(victim, thief, call > 0 ? 150 : 60), call,
			      answered, thief, victim });
	}

	void handle(const Event &event)
	{
		Node &node = all[event.node];

		if (event.what == asked)
			return answer(event.node, event.thief);
		if (event.what == leaf_done)
			node.busy = false;
		else
			(near(event.node, event.thief) ? node.asks_near
						       : node.asks_far) = false;
		if (event.what == answered && event.work > 0)
			node.calls.push_back(event.work);
		look_for_work(event.node);
	}
};

void
print_row(const World &world, const Tree &tree, bool crs, bool newest)
{
	static const char *const names[] = { "either", "smaller", "larger" };
	constexpr int seeds = 5;
	std::vector<double> percent;
	long requests = 0, grants = 0;

	for (unsigned seed = 1; seed <= seeds; seed++) {
		Run run(world, tree, crs, newest, seed);

		percent.push_back(run.simulate());
		requests += run.requests;
		grants += run.grants;
	}
	std::sort(percent.begin(), percent.end());
	std::printf("| %.2f | %s | %g | %s | %s | %.1f to %.1f | %ld | %ld |\n",
		    tree.share, names[tree.first], tree.leaf,
		    newest ? "newest" : "oldest", crs ? "CRS" : "RS",
		    percent.front(), percent.back(), requests / seeds,
		    grants / seeds);
	std::fflush(stdout);
}

} // namespace

int
main()
{
	const World world;

	std::puts("| larger call | runs first | leaf, s | stolen | balancer | "
		  "efficiency, % |"
		  " requests | granted |\n|---|---|---|---|---|---|---|---|");
	for (double share : { 0.5, 0.7, 0.9, 0.96, 0.98 })
		for (double leaf : { 0.1, 2. }) {
			for (First first : { either, smaller, larger })
				for (bool crs : { false, true })
					print_row(world, { share, leaf, first },
						  crs, false);
			if (leaf > 1) /* the others would take minutes */
				print_row(world, { share, leaf, either }, false,
					  true);
		}
}
