/*
 * steal_model: an event simulation of random stealing between clusters, by the
 * published rules of RS and CRS (van Nieuwpoort, Kielmann and Bal, PPoPP 2001).
 * It shares no code with the runtime. `make bench-steal-model` prints the range
 * of the efficiency of five runs, and the mean numbers of requests between
 * clusters and of grants.
 *
 * A call of more than a leaf's work spawns two calls, and the larger has a
 * fixed share of the work. The node runs one of them and keeps the other. A
 * node without calls asks a random other node. With RS it waits for the answer;
 * with CRS it has one request to another cluster out, and meanwhile asks nodes
 * of its own cluster. A victim answers at once, also while it computes, and
 * gives its oldest or its newest call. The result has as many bytes as the
 * call; no node waits for it. The nodes of a cluster share each directed link
 * to another one, where messages queue.
 */
#include <algorithm>
#include <cstdio>
#include <deque>
#include <queue>
#include <random>
#include <vector>

namespace
{
constexpr double work = 4577; /* seconds of one node: adaptive integration */
constexpr int clusters = 4, nodes = 16, all_nodes = clusters * nodes;
constexpr double latency = 0.1, rate = 1e5; /* a link's, one way; bytes/s */

enum What { leaf_done, asked, answered };
enum First { either, smaller, larger }; /* which of two calls a node runs */

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
	std::deque<double> calls;	 /* their work, the newest at the end */
	bool busy = false, asks[2] = {}; /* a near node, a far one */
};

const auto is_far = [](int a, int b) { return a / nodes != b / nodes; };

struct Run {
	double share, leaf; /* of the larger call; seconds */
	First first;
	bool crs, newest;
	std::mt19937 random{};
	long requests = 0, grants = 0; /* between clusters */
	double now = 0;
	std::vector<Node> all = std::vector<Node>(all_nodes);
	double link_free[clusters][clusters] = {}; /* when it is free */
	std::priority_queue<Event> events{};

	double efficiency_percent()
	{
		double left = work;
		all[0].calls.push_back(work);
		for (int i = 0; i < all_nodes; i++)
			look_for_work(i);
		while (left > 1e-6 * leaf) {
			const Event event = events.top();
			events.pop();
			now = event.at;
			left -= event.what == leaf_done ? event.work : 0;
			event.what == asked ? answer(event)
					    : end_leaf_or_request(event);
		}
		return 100 * work / (now * all_nodes);
	}

	/* When a message that is sent now arrives. */
	double due(int from, int to, int bytes)
	{
		if (!is_far(from, to))
			return now + 18.5e-6;
		double &free = link_free[from / nodes][to / nodes];
		free = std::max(free, now) + bytes / rate;
		return free + latency;
	}

	/* Asks a random node that is as far as @may_be allows. */
	void ask(int thief, const bool (&may_be)[2])
	{
		int victim;
		do
			victim = static_cast<int>(random() % all_nodes);
		while (victim == thief || !may_be[is_far(thief, victim)]);
		requests += is_far(thief, victim);
		all[thief].asks[is_far(thief, victim)] = true;
		events.push(
			{ due(thief, victim, 60), 0, asked, victim, thief });
	}

	void look_for_work(int number)
	{
		const Node &node = all[number];
		if (node.busy)
			return;
		if (!node.calls.empty())
			return run_newest(number);
		if (!crs && !node.asks[false] && !node.asks[true])
			ask(number, { true, true });
		for (bool far : { true, false })
			if (crs && !node.asks[far])
				ask(number, { !far, far });
	}

	/* Goes down from the newest call to a leaf, and begins it. */
	void run_newest(int number)
	{
		Node &node = all[number];
		double call = node.calls.back();
		node.calls.pop_back();
		while (call > leaf) {
			const bool large = first == either ? random() % 2
							   : first == larger;
			const double part = call * (large ? share : 1 - share);
			node.calls.push_back(call - part);
			call = part;
		}
		node.busy = true;
		events.push({ now + call, call, leaf_done, number, number });
	}

	void answer(const Event &request)
	{
		const int victim = request.node, thief = request.thief;
		std::deque<double> &calls = all[victim].calls;
		double call = 0;
		if (!calls.empty()) {
			call = newest ? calls.back() : calls.front();
			newest ? calls.pop_back() : calls.pop_front();
			grants += is_far(victim, thief);
			due(thief, victim, 150); /* the result's way */
		}
		events.push({ due(victim, thief, call > 0 ? 150 : 60), call,
			      answered, thief, victim });
	}

	void end_leaf_or_request(const Event &event)
	{
		Node &node = all[event.node];
		if (event.what == leaf_done)
			node.busy = false;
		else
			node.asks[is_far(event.node, event.thief)] = false;
		if (event.what == answered && event.work > 0)
			node.calls.push_back(event.work);
		look_for_work(event.node);
	}
};

void
print_row(const Run &begin)
{
	static const char *const names[] = { "either", "smaller", "larger" };
	constexpr unsigned seeds = 5;
	double least = 100, most = 0;
	long requests = 0, grants = 0;
	for (unsigned seed = 1; seed <= seeds; seed++) {
		Run run = begin;
		run.random.seed(seed);
		const double percent = run.efficiency_percent();
		least = std::min(least, percent);
		most = std::max(most, percent);
		requests += run.requests;
		grants += run.grants;
	}
	std::printf("| %.2f | %s | %g | %s | %s | %.1f to %.1f | %ld | %ld |\n",
		    begin.share, names[begin.first], begin.leaf,
		    begin.newest ? "newest" : "oldest",
		    begin.crs ? "CRS" : "RS", least, most, requests / seeds,
		    grants / seeds);
}

} // namespace

int
main()
{
	std::puts("| larger call | runs first | leaf, s | stolen | balancer | "
		  "efficiency, % | requests | granted |\n"
		  "|---|---|---|---|---|---|---|---|");
	for (double share : { 0.5, 0.7, 0.9, 0.96, 0.98 })
		for (double leaf : { 0.1, 2. }) {
			for (First first : { either, smaller, larger })
				for (bool crs : { false, true })
					print_row({ share, leaf, first, crs,
						    false });
			if (leaf > 1) /* the others would take minutes */
				print_row({ share, leaf, either, false, true });
		}
}
