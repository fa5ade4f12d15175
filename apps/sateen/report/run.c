#include "apps/sateen/report/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sateen/report/read.h"
#include "node/trace/event.h"

#define NODES_MOST 100000
#define MESSAGES_TID (STN_TRACE_NET + 1) /* not a worker */
#define LINKED_MOST 1024 /* clusters, between which messages are counted */

/* While the file is read. */
struct filling {
	struct run *run;
	struct event open; /* the last steal that has begun */
	bool main_seen;
};

/* Makes room for one element more. False: no memory. */
static bool
room_for(void **array, uint32_t count, uint32_t *room, size_t bytes)
{
	uint32_t more = *room ? 2 * *room : 16;
	void *grown;

	if (count < *room)
		return true;
	grown = reallocarray(*array, more, bytes);
	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}

/* The node of an event; NULL: the event is malformed, or there is no memory. */
static struct node *
node_of(struct run *run, uint64_t rank)
{
	if (!run->nodes || rank >= run->node_count)
		return NULL;
	return &run->nodes[rank];
}

static struct thread *
thread_of(struct node *node, uint64_t number)
{
	struct thread *threads;

	if (number >= STN_TRACE_WORKERS_MOST)
		return NULL;
	if (number < node->thread_count)
		return &node->threads[number];
	threads = reallocarray(node->threads, number + 1, sizeof(threads[0]));
	if (!threads)
		return NULL;
	memset(threads + node->thread_count, 0,
	       (number + 1 - node->thread_count) * sizeof(threads[0]));
	node->threads = threads;
	node->thread_count = (uint32_t)number + 1;
	return &threads[number];
}

static bool
add_span(struct node *node, const struct event *event, enum doing doing)
{
	struct thread *thread = thread_of(node, event->tid - 1);

	if (!thread || !room_for((void **)&thread->spans, thread->count,
				 &thread->room, sizeof(thread->spans[0])))
		return false;
	thread->spans[thread->count] =
		(struct span){ event->at_ns, event->at_ns + event->took_ns,
			       doing, thread->count };
	thread->count++;
	return true;
}

static bool
add_steal(struct node *node, const struct event *begin, uint64_t end_ns)
{
	if (!begin->has_node ||
	    !room_for((void **)&node->steals, node->steal_count,
		      &node->steal_room, sizeof(node->steals[0])))
		return false;
	node->steals[node->steal_count++] =
		(struct steal){ begin->at_ns, end_ns, (uint32_t)begin->node,
				!strcmp(begin->category, "steal") };
	return true;
}

/* Counts a message by the clusters of its two nodes. */
static bool
add_message(struct run *run, const struct event *event)
{
	struct link *link;
	uint32_t from, to;

	if (!event->has_node || event->node >= run->node_count)
		return false;
	if (!run->links)
		return true;
	from = run->nodes[event->pid - 1].cluster;
	to = run->nodes[event->node].cluster;
	link = &run->links[(size_t)from * run->cluster_count + to];
	link->messages++;
	link->bytes += event->bytes;
	return true;
}

static enum doing
doing_in(const char *category)
{
	return !strcmp(category, "sync") || !strcmp(category, "array") ? WAITS
								       : WORKS;
}

static bool
take_span(struct filling *filling, struct node *node, const struct event *event)
{
	struct run *run = filling->run;

	if (!strcmp(event->category, "send"))
		return add_message(run, event);
	if (!strcmp(event->category, "take"))
		return true;
	if (!strcmp(event->category, "main")) {
		run->begin_ns = event->at_ns;
		run->end_ns = event->at_ns + event->took_ns;
		filling->main_seen = true;
	}
	if (!strcmp(event->category, "stolen call")) {
		run->calls++;
		run->call_ns += event->took_ns;
	}
	run->arrays |= !strcmp(event->category, "array");
	return add_span(node, event, doing_in(event->category));
}

/* "node 3, cluster 1", or "node 3, cluster 1 (berlin)" */
static bool
take_label(struct run *run, struct node *node, const char *label)
{
	const char *cluster = strstr(label, "cluster ");

	if (!cluster)
		return false;
	node->cluster =
		(uint32_t)strtoul(cluster + strlen("cluster "), NULL, 10);
	return node->cluster < run->cluster_count;
}

/* All workers have names, also those that do nothing. */
static bool
take_name(struct run *run, struct node *node, const struct event *event)
{
	if (!strcmp(event->name, "process_name")) {
		node->named = true;
		return take_label(run, node, event->label);
	}
	if (!strcmp(event->name, "thread_name") && event->tid != MESSAGES_TID)
		return thread_of(node, event->tid - 1);
	return true;
}

static void
take_earlier(uint64_t *first_ns, uint64_t at_ns)
{
	if (!*first_ns || at_ns < *first_ns)
		*first_ns = at_ns;
}

/* Each of the other nodes says so. */
static void
take_moment(struct run *run, const struct event *event)
{
	struct node *node = event->has_node ? node_of(run, event->node) : NULL;

	if (!node)
		return;
	if (!strcmp(event->category, "a node has joined"))
		take_earlier(&node->joined_ns, event->at_ns);
	else if (!strcmp(event->category, "a node has died"))
		take_earlier(&node->died_ns, event->at_ns);
	else if (!strcmp(event->category, "a node has left"))
		take_earlier(&node->left_ns, event->at_ns);
}

static bool
take_event(void *arg, const struct event *event)
{
	struct filling *filling = arg;
	struct run *run = filling->run;
	struct node *node = node_of(run, event->pid - 1);

	if (!node || !event->tid)
		return false;
	node->there |= event->phase != 'M';
	if (event->phase != 'M' && event->at_ns + event->took_ns > run->last_ns)
		run->last_ns = event->at_ns + event->took_ns;
	switch (event->phase) {
	case 'M':
		return take_name(run, node, event);
	case 'X':
		return take_span(filling, node, event);
	case 'b':
		filling->open = *event;
		return true;
	case 'e': /* it follows its beginning */
		if (filling->open.id != event->id ||
		    !strstr(event->category, "steal"))
			return true;
		return add_steal(node, &filling->open, event->at_ns);
	case 'i':
		take_moment(run, event);
		return true;
	default:
		return true;
	}
}

static bool
set_text(char **text, const char *more)
{
	size_t length = *text ? strlen(*text) : 0;
	char *grown = realloc(*text, length + strlen(more) + 2);

	if (!grown)
		return false;
	*text = grown;
	if (length)
		grown[length++] = ' ';
	strcpy(grown + length, more);
	return true;
}

/* Nodes and clusters stand before the events. */
static bool
make_nodes(struct run *run)
{
	size_t clusters = run->cluster_count;

	if (!run->node_count || !clusters || run->nodes)
		return true;
	run->nodes = calloc(run->node_count, sizeof(run->nodes[0]));
	if (clusters > LINKED_MOST)
		return run->nodes;
	run->links = calloc(clusters * clusters, sizeof(run->links[0]));
	return run->nodes && run->links;
}

static bool
take_count(const char *text, uint32_t *count)
{
	*count = (uint32_t)strtoul(text, NULL, 10);
	return *count && *count <= NODES_MOST;
}

/* One of the list of clusters' names. */
static bool
take_cluster_name(struct run *run, const char *name)
{
	if (run->name_count == NODES_MOST ||
	    !room_for((void **)&run->names, run->name_count, &run->name_room,
		      sizeof(run->names[0])))
		return false;
	run->names[run->name_count] = strdup(name);
	return run->names[run->name_count] && ++run->name_count;
}

static bool
take_about(void *arg, const char *member, const char *text)
{
	struct run *run = ((struct filling *)arg)->run;

	if (!strcmp(member, "nodes"))
		return !run->nodes && take_count(text, &run->node_count) &&
		       make_nodes(run);
	if (!strcmp(member, "nodes_begun"))
		return take_count(text, &run->begun);
	if (!strcmp(member, "clusters"))
		return !run->nodes && take_count(text, &run->cluster_count) &&
		       make_nodes(run);
	if (!strcmp(member, "cluster_names"))
		return take_cluster_name(run, text);
	if (!strcmp(member, "command"))
		return set_text(&run->command, text);
	if (!strcmp(member, "balancer"))
		return set_text(&run->balancer, text);
	if (!strcmp(member, "simulated"))
		run->simulated = !strcmp(text, "true");
	if (!strcmp(member, "interrupted"))
		run->interrupted = !strcmp(text, "true");
	if (!strcmp(member, "lost_events"))
		run->lost_events = strtoull(text, NULL, 10);
	if (!strcmp(member, "work_ns"))
		run->work_ns = strtoull(text, NULL, 10);
	if (!strcmp(member, "span_ns"))
		run->span_ns = strtoull(text, NULL, 10);
	if (!strcmp(member, "clock_error_ns"))
		run->clock_error_ns = strtoull(text, NULL, 10);
	return true;
}

/* An outer span comes before the spans in it. */
static int
span_order(const void *a, const void *b)
{
	const struct span *one = a, *two = b;

	if (one->begin_ns != two->begin_ns)
		return one->begin_ns < two->begin_ns ? -1 : 1;
	if (one->end_ns != two->end_ns)
		return one->end_ns > two->end_ns ? -1 : 1;
	return one->place > two->place ? -1 : 1;
}

static void
sort_spans(struct run *run)
{
	for (uint32_t i = 0; run->nodes && i < run->node_count; i++)
		for (uint32_t j = 0; j < run->nodes[i].thread_count; j++) {
			struct thread *thread = &run->nodes[i].threads[j];

			if (thread->count)
				qsort(thread->spans, thread->count,
				      sizeof(thread->spans[0]), span_order);
		}
}

/* Traces of Sateen 1.0 name all ranks, and don't say how many have begun. */
static void
number_nodes(struct run *run)
{
	bool all = !run->begun;
	uint32_t count = 0;

	for (uint32_t i = 0; run->nodes && i < run->node_count; i++) {
		run->nodes[i].number = count;
		count += all || run->nodes[i].named;
	}
	run->begun = count;
}

const char *
run_read(FILE *file, struct run *run)
{
	struct filling filling = { .run = run };
	const struct reader reader = { take_event, take_about, &filling };
	const char *wrong;

	*run = (struct run){ .command = NULL };
	wrong = read_events(file, &reader);
	sort_spans(run);
	number_nodes(run);
	if (!wrong && !filling.main_seen)
		return "it has no main, so it is no trace of a run that ended";
	return wrong;
}

double
run_parallelism(const struct run *run)
{
	return run->span_ns ? (double)run->work_ns / (double)run->span_ns : 0;
}

const char *
run_cluster(const struct run *run, uint32_t cluster, const char *otherwise,
	    char room[RUN_CLUSTER_ROOM])
{
	if (cluster < run->name_count && *run->names[cluster])
		return run->names[cluster];
	snprintf(room, RUN_CLUSTER_ROOM, "%s%" PRIu32, otherwise, cluster);
	return room;
}

void
run_fini(struct run *run)
{
	for (uint32_t i = 0; run->nodes && i < run->node_count; i++) {
		struct node *node = &run->nodes[i];

		for (uint32_t j = 0; j < node->thread_count; j++)
			free(node->threads[j].spans);
		free(node->threads);
		free(node->steals);
	}
	for (uint32_t i = 0; i < run->name_count; i++)
		free(run->names[i]);
	free(run->names);
	free(run->nodes);
	free(run->links);
	free(run->command);
	free(run->balancer);
}
