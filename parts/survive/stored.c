#include "parts/survive/stored.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steal/keep_writer.h"

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define UNIT 8 /* payloads of plans have a multiple of so many bytes */

bool
stn_create_same(const struct stn_parts_create *a,
		const struct stn_parts_create *b)
{
	struct stn_parts_create same = *a;

	same.array = b->array;
	same.view = b->view;
	same.nodes = b->nodes;
	same.copied = b->copied;
	same.progress = b->progress;
	return !memcmp(&same, b, sizeof(same));
}

static uint64_t
hash_add(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * HASH_FACTOR;
	return hash ^ hash >> 29;
}

static uint64_t
lineage_of(const struct stn_stored_history *head, const struct stn_call *calls)
{
	struct stn_parts_create create = head->create;
	uint64_t hash = head->calls, word;

	create.array = (struct stn_array_id){ 0 };
	create.view = create.nodes = create.copied = create.progress = 0;
	for (size_t i = 0; i < sizeof(create); i += sizeof(word)) {
		memcpy(&word, (const unsigned char *)&create + i, sizeof(word));
		hash = hash_add(hash, word);
	}
	for (uint32_t i = 0; i < head->calls; i++)
		hash = hash_add(hash, calls[i].hash);
	return hash;
}

_Static_assert(sizeof(struct stn_parts_create) % sizeof(uint64_t) == 0,
	       "CREATE is hashed by words");

/* A plan with its size, before its payload. */
struct plan_head {
	struct stn_parts_plan header;
	uint64_t bytes;
};

_Static_assert(sizeof(struct plan_head) % UNIT == 0, "payloads are aligned");

static size_t
round_up(size_t bytes)
{
	return (bytes + UNIT - 1) / UNIT * UNIT;
}

static size_t
count_plan_bytes(const struct stn_stored_plan *plans, uint32_t count)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += sizeof(struct plan_head) + round_up(plans[i].bytes);
	return bytes;
}

static void
write_plans(const struct stn_stored_plan *plans, uint32_t count,
	    unsigned char *to)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct plan_head head = { plans[i].header,
						plans[i].bytes };

		memcpy(to, &head, sizeof(head));
		to += sizeof(head);
		if (plans[i].bytes)
			memcpy(to, plans[i].payload, plans[i].bytes);
		to += round_up(plans[i].bytes);
	}
}

void *
stn_stored_write(const struct stn_parts_create *create,
		 const struct stn_history *history, uint32_t number,
		 const struct stn_stored_plan *plans, uint32_t count,
		 size_t *size_p, uint64_t *lineage_p)
{
	const struct stn_order *order = stn_history_order(history, number);
	const struct stn_parts_operate *boundary =
		stn_history_boundary(history, number);
	struct stn_stored_history head = { .create = *create,
					   .order = order->order,
					   .base = order->base,
					   .end = order->end,
					   .calls = number,
					   .got = history->got,
					   .plans = count };
	size_t call_bytes = number * sizeof(history->calls[0]);
	size_t size =
		sizeof(head) + call_bytes + count_plan_bytes(plans, count);
	unsigned char *bytes = calloc(1, size);

	if (!bytes)
		return NULL;
	if (boundary)
		head.boundary = *boundary;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), history->calls, call_bytes);
	write_plans(plans, count, bytes + sizeof(head) + call_bytes);
	*size_p = size;
	*lineage_p = lineage_of(&head, history->calls);
	return bytes;
}

/* The operation must be one that has versions; the shape is checked later. */
static bool
has_version(const struct stn_stored_history *head, uint64_t version)
{
	const struct stn_parts_operate *order = &head->order;

	return (order->what != STN_CELLS_JOIN || head->plans) &&
	       (order->what == STN_PARTS_FILL ||
		order->what == STN_PARTS_SWEEPS ||
		order->what == STN_PARTS_REFRESH ||
		order->what == STN_CELLS_JOIN) &&
	       order->number == head->calls && head->calls &&
	       head->base < version && version <= head->end &&
	       head->end < STN_BASE_MOST;
}

static bool
makes_cut(const struct stn_parts_plan *plan)
{
	return plan->what == STN_CELLS_SPLIT || plan->what == STN_CELLS_PLACE;
}

/* The plans of cells are in @size bytes: first the cut, then the summaries. */
static enum stn_err
read_plans(const unsigned char *bytes, size_t size,
	   struct stn_stored_read *read_p)
{
	struct stn_stored_plan *plans = read_p->plans;
	uint32_t count = read_p->head.plans;

	if (count > STN_STORED_PLANS)
		return STN_MALFORMED;
	for (uint32_t i = 0; i < count; i++) {
		struct plan_head head;

		if (size < sizeof(head))
			return STN_MALFORMED;
		memcpy(&head, bytes, sizeof(head));
		bytes += sizeof(head);
		size -= sizeof(head);
		if (head.bytes > size || round_up(head.bytes) > size ||
		    (i ? head.header.what != STN_CELLS_BRIEFS ||
				    head.header.serial <=
					    plans[0].header.serial
		       : !makes_cut(&head.header) || !head.bytes))
			return STN_MALFORMED;
		plans[i] = (struct stn_stored_plan){ head.header, bytes,
						     head.bytes };
		bytes += round_up(head.bytes);
		size -= round_up(head.bytes);
	}
	return size ? STN_MALFORMED : STN_OK;
}

enum stn_err
stn_stored_read(const void *bytes, size_t size, uint64_t version,
		const struct stn_table *table, struct stn_stored_read *read_p)
{
	const unsigned char *calls = (const unsigned char *)bytes;
	struct stn_parts_known known = { .active = true };
	struct stn_stored_history head;
	size_t call_bytes;

	if (size < sizeof(head))
		return STN_MALFORMED;
	memcpy(&head, bytes, sizeof(head));
	calls += sizeof(head);
	size -= sizeof(head);
	call_bytes = head.calls * sizeof(struct stn_call);
	known.operate = head.order;
	known.boundary = head.boundary;
	if (!has_version(&head, version) || size < call_bytes ||
	    stn_parts_known_check(&known, table))
		return STN_MALFORMED;
	*read_p = (struct stn_stored_read){ .head = head,
					    .calls = (const void *)calls };
	return read_plans(calls + call_bytes, size - call_bytes, read_p);
}

uint64_t
stn_stored_sweeps(const struct stn_stored_history *head, uint64_t version,
		  uint32_t block)
{
	uint64_t sweeps = (version - head->base) * block;

	return sweeps < head->order.sweeps ? sweeps : head->order.sweeps;
}

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_versions(const struct stn_stored_entry *a,
		 const struct stn_stored_entry *b)
{
	if (a->array != b->array)
		return compare_numbers(a->array, b->array);
	if (a->version != b->version)
		return compare_numbers(b->version, a->version);
	return compare_numbers(a->lineage, b->lineage);
}

static int
compare_entries(const void *a, const void *b)
{
	const struct stn_stored_entry *one = a, *other = b;
	int versions = compare_versions(one, other);

	return versions ? versions : compare_numbers(one->part, other->part);
}

static enum stn_err
stored_add(struct stn_stored *stored, const struct stn_log_entry *entry)
{
	if (stored->count == stored->room) {
		size_t room = 2 * stored->room + 64;
		struct stn_stored_entry *larger =
			reallocarray(stored->list, room, sizeof(larger[0]));

		if (!larger)
			return STN_NO_MEMORY;
		stored->list = larger;
		stored->room = room;
	}
	stored->list[stored->count++] = (struct stn_stored_entry){
		.array = (uint32_t)entry->key.high,
		.part = entry->hint,
		.version = entry->key.low,
		.lineage = entry->cost_ns,
		.size = entry->size,
		.bytes = entry->outputs,
	};
	return STN_OK;
}

static enum stn_err
read_log(struct stn_stored *stored, const struct stn_resume_log *log,
	 bool tells)
{
	struct stn_log_header header;
	struct stn_log_reader reader;
	struct stn_log_entry entry;
	size_t before = stored->count;
	enum stn_err err;

	if (stn_log_open(&reader, log->bytes, log->size, &header))
		return STN_OK; /* it has changed, since it was opened */
	while (stn_log_read(&reader, &entry)) {
		err = stored_add(stored, &entry);
		if (err)
			return err;
	}
	if (reader.damaged && tells)
		fprintf(stderr,
			"sateen: %s is damaged at byte %zu; %zu parts in it "
			"can be used\n",
			log->path, reader.damaged, stored->count - before);
	return STN_OK;
}

enum stn_err
stn_stored_open(const struct stn_resume *resume, bool tells,
		struct stn_stored **stored_p)
{
	struct stn_stored *stored = calloc(1, sizeof(*stored));
	enum stn_err err = STN_OK;

	if (!stored)
		return STN_NO_MEMORY;
	stored->resume = resume;
	for (size_t i = 0; !err && i < resume->log_count; i++)
		if (resume->logs[i].of_array)
			err = read_log(stored, &resume->logs[i], tells);
	if (err) {
		stn_stored_close(stored);
		return err;
	}
	if (stored->count)
		qsort(stored->list, stored->count, sizeof(stored->list[0]),
		      compare_entries);
	*stored_p = stored;
	return STN_OK;
}

void
stn_stored_close(struct stn_stored *stored)
{
	if (stored)
		free(stored->list);
	free(stored);
}

/* The first entry that does not come before @wanted. */
static const struct stn_stored_entry *
find_place(const struct stn_stored *stored,
	   const struct stn_stored_entry *wanted)
{
	size_t low = 0, high = stored->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_entries(&stored->list[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return stored->list + low;
}

const struct stn_stored_entry *
stn_stored_first(const struct stn_stored *stored, uint32_t array)
{
	const struct stn_stored_entry wanted = { .array = array,
						 .version = UINT64_MAX };

	return find_place(stored, &wanted);
}

const struct stn_stored_entry *
stn_stored_end(const struct stn_stored *stored,
	       const struct stn_stored_entry *entry)
{
	const struct stn_stored_entry *end = entry;

	while (end < stored->list + stored->count &&
	       !compare_versions(end, entry))
		end++;
	return end;
}

const struct stn_stored_entry *
stn_stored_find(const struct stn_stored *stored, uint32_t array,
		uint64_t version, uint64_t lineage, uint32_t part)
{
	const struct stn_stored_entry wanted = { .array = array,
						 .part = part,
						 .version = version,
						 .lineage = lineage };
	const struct stn_stored_entry *found = find_place(stored, &wanted);

	return found < stored->list + stored->count &&
			       !compare_entries(found, &wanted)
		       ? found
		       : NULL;
}

/* Whether the log has an entry of the array and no newer version. */
static bool
has_old_version(const struct stn_stored *stored,
		const struct stn_resume_log *log, uint32_t array,
		uint64_t version)
{
	for (size_t i = 0; i < stored->count; i++) {
		const struct stn_stored_entry *entry = &stored->list[i];
		const unsigned char *at = entry->bytes, *begin = log->bytes;

		if (entry->array == array && entry->version <= version &&
		    at >= begin && at < begin + log->size)
			return true;
	}
	return false;
}

void
stn_stored_remove(struct stn_stored *stored, uint32_t array, uint64_t version)
{
	const struct stn_resume *resume = stored->resume;

	for (size_t i = 0; i < resume->log_count; i++)
		if (resume->logs[i].of_array &&
		    has_old_version(stored, &resume->logs[i], array, version))
			stn_log_remove_idle(resume->logs[i].path);
}
