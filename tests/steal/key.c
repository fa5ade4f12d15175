/*
 * key.c: equal calls have equal keys wherever their buffers are, and each kind
 * of difference gives another key.
 */
#include <inttypes.h>

#include <sateen.h>
#include "steal/key.h"
#include "steal/task.h"
#include "tests/tap.h"

#define TASKS 600
#define LARGE (1 << 20)

/* Three bytes of padding follow a, and seven follow c. */
STN_TASK(int, scalars, char, a, int, b, char, c, double, d)
{
	return a + b + c + (int)d;
}

STN_TASK_VOID(buffers, struct stn_in, in, int, n, struct stn_out, out,
	      struct stn_inout, both)
{
	(void)in;
	(void)n;
	(void)out;
	(void)both;
}

STN_TASK_VOID(nothing)
{
}

static const struct stn_task stranger = { .name = "stranger", .result = "" };

static struct stn_key
key_of(const struct stn_task *task, const struct stn_record *record)
{
	return stn_key_of(stn_key_task(task), task, record,
			  stn_key_inouts(task, record));
}

static uint32_t
hint_of(const struct stn_task *task, const struct stn_record *record)
{
	return stn_key_hint(stn_key_task(task), task, record);
}

static bool
equal(struct stn_key a, struct stn_key b)
{
	return a.low == b.low && a.high == b.high;
}

/* Both halves depend on everything. */
static bool
unlike(struct stn_key a, struct stn_key b)
{
	return a.low != b.low && a.high != b.high;
}

static struct stn_record
scalar_record(unsigned char garbage)
{
	struct scalars_arguments *arguments;
	struct stn_record record;

	memset(&record, garbage, sizeof(record));
	arguments = (struct scalars_arguments *)record.arguments;
	arguments->a = 'a';
	arguments->b = 1000;
	arguments->c = 'c';
	arguments->d = 0.5;
	return record;
}

static bool
each_byte_counts(const struct stn_argument *argument)
{
	struct stn_record record = scalar_record(0);
	struct stn_key key = key_of(&scalars_task, &record);
	uint32_t hint = hint_of(&scalars_task, &record);

	for (unsigned i = 0; i < argument->bytes; i++) {
		unsigned char *byte = record.arguments + argument->offset + i;

		*byte ^= 1;
		if (!unlike(key, key_of(&scalars_task, &record)) ||
		    hint_of(&scalars_task, &record) == hint)
			return false;
		*byte ^= 1;
	}
	return equal(key, key_of(&scalars_task, &record));
}

static void
test_scalars(void)
{
	struct stn_record one = scalar_record(0), two = scalar_record(0xa5);

	tap_ok(equal(key_of(&scalars_task, &one),
		     key_of(&scalars_task, &two)) &&
		       hint_of(&scalars_task, &one) ==
			       hint_of(&scalars_task, &two),
	       "padding and the record's other members do not count");
	for (unsigned i = 0; i < scalars_task.argument_count; i++)
		tap_ok(each_byte_counts(&scalars_task.arguments[i]),
		       "each byte of scalar %u counts", i);
}

/*
 * The arguments are zeros, which may be of any size and kind. @other must live
 * until the process ends.
 */
static void
differs(const struct stn_task *other, const char *difference)
{
	struct stn_record record = { .rank = 0 };

	tap_ok(unlike(key_of(&scalars_task, &record), key_of(other, &record)) &&
		       hint_of(&scalars_task, &record) !=
			       hint_of(other, &record),
	       "a task with another %s has another key", difference);
}

static void
test_tasks(void)
{
	static struct stn_argument type[4], bytes[4], kind[4];
	static struct stn_task same, other[8];
	struct stn_record record = scalar_record(0);

	memcpy(type, scalars_task.arguments, sizeof(type));
	memcpy(bytes, scalars_task.arguments, sizeof(bytes));
	memcpy(kind, scalars_task.arguments, sizeof(kind));
	type[1].type = "unsigned";
	bytes[1].bytes = 1;
	bytes[2].bytes = 4;
	kind[3].kind = STN_ARGUMENT_OUT;
	same = scalars_task;
	for (unsigned i = 0; i < 8; i++)
		other[i] = scalars_task;
	tap_ok(equal(key_of(&same, &record), key_of(&scalars_task, &record)),
	       "the same task at another address has the same key");
	other[0].name = "scalar";
	differs(&other[0], "name");
	other[1].result = "unsigned";
	differs(&other[1], "type of its result");
	other[2].result_bytes++;
	differs(&other[2], "size of its result");
	other[3].arguments = type;
	differs(&other[3], "type of an argument");
	other[4].arguments = bytes;
	differs(&other[4], "size of two arguments");
	other[5].arguments = kind;
	differs(&other[5], "kind of an argument");
	other[6].argument_count--;
	differs(&other[6], "number of arguments");
	other[7].name = "scalarsi";
	other[7].result = "nt";
	differs(&other[7], "boundary between its name and its type");
}

/* The table of tasks has the hashes, also if many tasks share its places. */
static void
test_many_tasks(void)
{
	static struct stn_task many[TASKS];
	static struct stn_task_entry entries[TASKS];
	static char names[TASKS][8];
	struct stn_table table;
	bool right = true;
	struct stn_why why;

	for (unsigned i = 0; i < TASKS; i++) {
		snprintf(names[i], sizeof(names[i]), "t%u", i);
		many[i] = scalars_task;
		many[i].name = names[i];
		entries[i].task = &many[i];
		stn_task_register(&entries[i]);
	}
	if (stn_table_init(&table, &why))
		abort();
	for (unsigned i = 0; i < table.count; i++)
		right &= stn_table_hash(&table, table.tasks[i]) ==
			 stn_key_task(table.tasks[i]);
	tap_ok(right && table.count >= TASKS,
	       "a table of %u tasks has the hash of each", table.count);
	for (unsigned i = 0; i < table.count; i++)
		right &= stn_table_id(&table, table.tasks[i]) == i;
	tap_ok(right, "the id of each is its place in the table");
	tap_ok(stn_table_hash(&table, &stranger) == stn_key_task(&stranger),
	       "the hash of a task that is not in the table is computed");
	stn_table_fini(&table);
}

/* Buffers of 4 rows of 6 bytes, with a gap of @gap bytes after each row. */
struct world {
	struct stn_record record;
	struct buffers_arguments *arguments;
	char in[256], out[256], both[256];
};

static void
write_rows(char *to, uint64_t stride, const char *text)
{
	for (int row = 0; row < 4; row++)
		memcpy(to + row * stride, text + row * 6, 6);
}

static void
init(struct world *world, unsigned gap)
{
	const uint64_t stride = 6 + gap;

	memset(world, (int)(0x11 * (gap + 1)), sizeof(*world));
	world->arguments = (struct buffers_arguments *)world->record.arguments;
	world->arguments->in = (struct stn_in){ world->in, 4, 6, stride };
	world->arguments->n = 7;
	world->arguments->out = (struct stn_out){ world->out, 4, 6, stride };
	world->arguments->both =
		(struct stn_inout){ world->both, 4, 6, stride };
	write_rows(world->in, stride, "the contents of an input");
	write_rows(world->both, stride, "an in and output's bytes");
}

static struct stn_key
key(const struct world *world)
{
	return key_of(&buffers_task, &world->record);
}

static uint32_t
hint(const struct world *world)
{
	return hint_of(&buffers_task, &world->record);
}

static void
test_addresses(void)
{
	struct world one, two;

	init(&one, 0);
	for (unsigned gap = 0; gap < 3; gap++) {
		init(&two, gap);
		tap_ok(equal(key(&one), key(&two)) && hint(&one) == hint(&two),
		       "the same contents at another address, with gaps of %u "
		       "bytes, have the same key and hint",
		       gap);
	}
	init(&two, 0);
	two.arguments->out.at = NULL;
	two.out[0]++;
	tap_ok(equal(key(&one), key(&two)),
	       "contents of an out buffer do not count");
}

/* Whether each byte in @rows, which belong to @world, makes a difference. */
static bool
contents_count(struct world *world, char *rows, unsigned gap)
{
	struct stn_key before = key(world);
	uint32_t hint_before = hint(world);

	for (unsigned i = 0; i < 24; i++) {
		char *byte = rows + i / 6 * (6 + gap) + i % 6;

		*byte ^= 1;
		if (!unlike(key(world), before) || hint(world) != hint_before)
			return false;
		*byte ^= 1;
	}
	return true;
}

static void
test_contents(void)
{
	struct world one, two;

	for (unsigned gap = 0; gap < 2; gap++) {
		init(&one, gap);
		tap_ok(contents_count(&one, one.in, gap),
		       "each byte of an in buffer counts, gap %u", gap);
		tap_ok(contents_count(&one, one.both, gap),
		       "each byte of an inout buffer counts, gap %u", gap);
	}
	init(&one, 0);
	init(&two, 0);
	two.arguments->in.at = one.both;
	two.arguments->both.at = one.in;
	tap_ok(unlike(key(&one), key(&two)), "so does which buffer has them");
}

/*
 * The place of a buffer in the record, all three of which begin as struct
 * stn_in does.
 */
static struct stn_in *
place(struct world *world, unsigned argument)
{
	return (struct stn_in *)(world->record.arguments +
				 buffers_task.arguments[argument].offset);
}

static void
test_shapes(void)
{
	static const unsigned places[] = { 0, 2, 3 };
	struct world one, two;

	init(&one, 0);
	for (unsigned i = 0; i < 3; i++) {
		const struct stn_in shapes[] = {
			{ NULL, 6, 4, 4 },
			{ NULL, 1, 24, 24 },
			{ NULL, 4, 5, 6 },
			{ NULL, 3, 6, 6 },
		};
		bool differ = true;

		for (unsigned j = 0; j < 4; j++) {
			struct stn_in *at;
			const void *bytes;

			init(&two, 0);
			at = place(&two, places[i]);
			bytes = at->at;
			*at = shapes[j];
			at->at = bytes;
			differ &= unlike(key(&one), key(&two)) &&
				  hint(&one) != hint(&two);
		}
		tap_ok(differ, "the shape of buffer %u counts", i);
	}
	two = one;
	two.arguments = (struct buffers_arguments *)two.record.arguments;
	two.arguments->in = (struct stn_in){ NULL, 4, 0, 0 };
	one.arguments->in = (struct stn_in){ one.in, 0, 6, 6 };
	tap_ok(unlike(key(&one), key(&two)),
	       "shapes of empty buffers count, and their address is not read");
}

static void
test_large(void)
{
	char *packed = malloc(LARGE), *sparse = malloc(2 * LARGE);
	struct world one, two;

	init(&one, 0);
	init(&two, 0);
	for (unsigned i = 0; i < LARGE; i++)
		packed[i] = (char)(i * i / 7);
	memset(sparse, 1, 2 * LARGE);
	for (unsigned row = 0; row < 1024; row++)
		memcpy(sparse + 2048 * row, packed + 1024 * row, 1024);
	one.arguments->in = (struct stn_in){ packed, 1024, 1024, 1024 };
	two.arguments->in = (struct stn_in){ sparse, 1024, 1024, 2048 };
	tap_ok(equal(key(&one), key(&two)), "large buffers: gaps don't count");
	sparse[2048 * 1023 + 1023] ^= 1;
	tap_ok(unlike(key(&one), key(&two)),
	       "large buffers: the last byte does");
	free(packed);
	free(sparse);
}

/* As a job's key is computed: the call may run in between. */
static void
test_later(void)
{
	struct stn_key before, inouts, later;
	struct world world;

	init(&world, 0);
	before = key(&world);
	inouts = stn_key_inouts(&buffers_task, &world.record);
	write_rows(world.out, 6, "what the call has written");
	write_rows(world.both, 6, "what it leaves in inouts");
	later = stn_key_of(stn_key_task(&buffers_task), &buffers_task,
			   &world.record, inouts);
	tap_ok(equal(before, later) && unlike(before, key(&world)),
	       "a key that is completed after the run is that of before");
}

static void
is_known(const char *what, struct stn_key key, struct stn_key expected)
{
	if (!tap_ok(equal(key, expected), "the key of %s is the usual one",
		    what))
		printf("# 0x%016" PRIx64 ", 0x%016" PRIx64 "\n", key.low,
		       key.high);
}

/* Constants, so that a test on another architecture compares with this one. */
static void
test_known(void)
{
	struct stn_record record = scalar_record(0);
	static char zeros[5000];
	struct world world;

	is_known("a call without arguments", key_of(&nothing_task, &record),
		 (struct stn_key){ 0xa25a79014ff69dd4, 0x9e170cfa8ce257d3 });
	is_known("scalars", key_of(&scalars_task, &record),
		 (struct stn_key){ 0x8b5fb7c79d3cc6ff, 0x5540339cdefb65dd });
	init(&world, 1);
	is_known("buffers", key(&world),
		 (struct stn_key){ 0x48ed5f7220f20f33, 0xd9f76d639eb5d9ce });
	world.arguments->in = (struct stn_in){ zeros, 1, 5000, 5000 };
	is_known("a larger buffer", key(&world),
		 (struct stn_key){ 0xef33d9743e6f118b, 0x677e3fe5067c1418 });
}

int
main(void)
{
	tap_begin();
	test_scalars();
	test_tasks();
	test_many_tasks();
	test_addresses();
	test_contents();
	test_shapes();
	test_large();
	test_later();
	test_known();
	return tap_end();
}
