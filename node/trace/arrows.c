/*
 * arrows.c: messages of one kind, from one node to another and with one number,
 * arrive in the order in which they were sent. If both nodes have all their
 * events, the oldest send belongs to the oldest take, and so on. Otherwise the
 * oldest events are missing, so the newest are paired first; then a message
 * that was under way at the end shifts the arrows of its series.
 */
#include "node/trace/arrows.h"

#include <stdlib.h>

/* The ends of one kind: all that were sent, or all that were taken. */
struct ends {
	struct stn_trace_end *all;
	size_t count;
};

static uint32_t
sender(const struct stn_trace_end *end)
{
	return end->event->kind == STN_TRACE_SEND ? end->node
						  : end->event->other;
}

static uint32_t
receiver(const struct stn_trace_end *end)
{
	return end->event->kind == STN_TRACE_SEND ? end->event->other
						  : end->node;
}

static int
order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Orders ends by the message that they may belong to. */
static int
same_message(const struct stn_trace_end *a, const struct stn_trace_end *b)
{
	int by = order(sender(a), sender(b));

	if (!by)
		by = order(receiver(a), receiver(b));
	if (!by)
		by = order(a->event->message, b->event->message);
	return by ? by
		  : order((uint64_t)a->event->number,
			  (uint64_t)b->event->number);
}

static int
end_order(const void *a, const void *b)
{
	const struct stn_trace_end *one = a, *two = b;
	int by = same_message(one, two);

	return by ? by : order(one->at_ns, two->at_ns);
}

static size_t
count_kind(const struct stn_trace_part *parts, uint32_t nodes, uint8_t kind)
{
	size_t count = 0;

	for (uint32_t node = 0; node < nodes; node++)
		for (size_t i = 0; i < parts[node].count; i++)
			count += parts[node].events[i].kind == kind;
	return count;
}

static enum stn_err
collect(const struct stn_trace_part *parts, uint32_t nodes, uint8_t kind,
	struct ends *ends)
{
	*ends = (struct ends){ NULL, 0 };
	ends->all = malloc((count_kind(parts, nodes, kind) + 1) *
			   sizeof(ends->all[0]));
	if (!ends->all)
		return STN_NO_MEMORY;
	for (uint32_t node = 0; node < nodes; node++)
		for (size_t i = 0; i < parts[node].count; i++) {
			struct stn_trace_event *event = &parts[node].events[i];

			if (event->kind == kind)
				ends->all[ends->count++] =
					(struct stn_trace_end){
						node, event,
						stn_trace_on_root(
							&parts[node],
							event->begin_ns)
					};
		}
	qsort(ends->all, ends->count, sizeof(ends->all[0]), end_order);
	return STN_OK;
}

/* Whether @from may have been sent before @to was taken. */
static bool
in_time(const struct stn_trace_part *parts, const struct stn_trace_end *from,
	const struct stn_trace_end *to)
{
	return from->at_ns <= to->at_ns + parts[from->node].error_ns +
				      parts[to->node].error_ns;
}

/* The pairs of one series: sends and takes of one kind of message. */
static size_t
pair_series(const struct stn_trace_part *parts, const struct ends *sent,
	    const struct ends *taken, struct stn_trace_arrow *arrows)
{
	bool whole = !parts[sent->all[0].node].lost &&
		     !parts[taken->all[0].node].lost;
	size_t i = 0, j = 0, count = 0;

	while (i < sent->count && j < taken->count) {
		size_t from = whole ? i : sent->count - 1 - i;
		size_t to = whole ? j : taken->count - 1 - j;

		i++;
		if (!in_time(parts, &sent->all[from], &taken->all[to]))
			continue;
		arrows[count++] = (struct stn_trace_arrow){ sent->all[from],
							    taken->all[to] };
		j++;
	}
	return count;
}

/* The ends from @at on that may belong to the same message as the first. */
static struct ends
series(const struct ends *ends, size_t at)
{
	struct ends same = { ends->all + at, 0 };

	while (at + same.count < ends->count &&
	       !same_message(same.all, same.all + same.count))
		same.count++;
	return same;
}

static size_t
match(const struct stn_trace_part *parts, const struct ends *sent,
      const struct ends *taken, struct stn_trace_arrow *arrows)
{
	size_t i = 0, j = 0, count = 0;

	while (i < sent->count && j < taken->count) {
		struct ends from = series(sent, i), to = series(taken, j);
		int by = same_message(from.all, to.all);

		if (!by)
			count += pair_series(parts, &from, &to, arrows + count);
		if (by <= 0)
			i += from.count;
		if (by >= 0)
			j += to.count;
	}
	return count;
}

enum stn_err
stn_trace_arrows(const struct stn_trace_part *parts, uint32_t nodes,
		 struct stn_trace_arrow **arrows_p, size_t *count_p)
{
	struct ends sent, taken = { NULL, 0 };
	enum stn_err err = collect(parts, nodes, STN_TRACE_SEND, &sent);

	if (!err)
		err = collect(parts, nodes, STN_TRACE_TAKE, &taken);
	*arrows_p =
		err ? NULL : malloc((sent.count + 1) * sizeof((*arrows_p)[0]));
	if (*arrows_p)
		*count_p = match(parts, &sent, &taken, *arrows_p);
	free(sent.all);
	free(taken.all);
	return *arrows_p ? STN_OK : STN_NO_MEMORY;
}
