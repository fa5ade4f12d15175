/*
 * orphans_model.c: random calls of the table of orphans have the same effect as
 * in a simple model, which is a list of entries by number, without order.
 */
#include "node/random.h"
#include "tests/steal/orphans_table.h"
#include "tests/tap.h"

#define NUMBERS 64
#define RESULTS 12
#define BYTES 300
#define POINTERS 9

struct model_entry {
	enum { NONE, STORED, POINTER } kind;
	size_t size;
	unsigned keeps;
	bool announced;
	uint64_t ns, learnt; /* when the pointer was learnt */
	uint32_t holder;
};

static struct model_entry model[NUMBERS];

static double
density(const struct model_entry *entry)
{
	return (double)entry->ns / (double)entry->size;
}

static struct model_entry *
model_least(void)
{
	struct model_entry *least = NULL;

	for (unsigned i = 0; i < NUMBERS; i++)
		if (model[i].kind == STORED &&
		    (!least || density(&model[i]) < density(least)))
			least = &model[i];
	return least;
}

static bool
model_fits(size_t size)
{
	size_t count = 0, bytes = 0;

	for (unsigned i = 0; i < NUMBERS; i++)
		if (model[i].kind == STORED) {
			count++;
			bytes += model[i].size;
		}
	return count < RESULTS && bytes + size <= BYTES;
}

static bool
model_keep(uint32_t number, size_t size, uint64_t ns)
{
	struct model_entry new = {
		.kind = STORED, .size = size, .keeps = 1, .ns = ns
	};
	struct model_entry before[NUMBERS], *least;

	if (model[number].kind == STORED) {
		model[number].keeps++;
		return true;
	}
	memcpy(before, model, sizeof(model));
	while (!model_fits(size)) {
		least = model_least();
		if (!least || density(least) >= density(&new)) {
			memcpy(model, before, sizeof(model));
			return false;
		}
		least->kind = NONE;
	}
	model[number] = new;
	return true;
}

static void
model_learn(uint32_t number, uint32_t holder, uint64_t time)
{
	struct model_entry *oldest = NULL;
	unsigned count = 0;

	if (model[number].kind == STORED)
		return;
	model[number].kind = NONE;
	for (unsigned i = 0; i < NUMBERS; i++) {
		if (model[i].kind != POINTER)
			continue;
		count++;
		if (!oldest || model[i].learnt < oldest->learnt)
			oldest = &model[i];
	}
	if (count == POINTERS)
		oldest->kind = NONE;
	model[number] = (struct model_entry){ .kind = POINTER,
					      .holder = holder,
					      .learnt = time };
}

static void
model_supersede(uint32_t number)
{
	struct model_entry *entry = &model[number];

	if (entry->kind == STORED && !entry->announced && !--entry->keeps)
		entry->kind = NONE;
}

/* Announces one of the stored results. */
static void
announce(struct stn_orphans *orphans, uint32_t number)
{
	uint32_t i = number % (orphans->stored_count + 1);

	if (i == orphans->stored_count)
		return;
	model[stn_orphans_stored(orphans, i)->hint].announced = true;
	stn_orphans_announce(orphans, i);
}

static uint32_t
model_forget(uint32_t holder)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < NUMBERS; i++)
		if (model[i].kind == POINTER && model[i].holder == holder) {
			model[i].kind = NONE;
			count++;
		}
	return count;
}

/* Each stored result has one number below stored_count. */
static bool
lists_all(const struct stn_orphans *orphans)
{
	bool seen[NUMBERS] = { false };

	for (uint32_t i = 0; i < orphans->stored_count; i++) {
		const struct stn_orphan *orphan =
			stn_orphans_stored(orphans, i);

		if (model[orphan->hint].kind != STORED || seen[orphan->hint])
			return false;
		seen[orphan->hint] = true;
	}
	return true;
}

static bool
agrees(const struct stn_orphans *orphans)
{
	uint32_t stored = 0, pointers = 0;

	for (uint32_t i = 0; i < NUMBERS; i++) {
		stored += model[i].kind == STORED;
		pointers += model[i].kind == POINTER;
		if (model[i].kind == STORED
			    ? !has_result(orphans, i, model[i].size)
		    : model[i].kind == POINTER
			    ? !has_pointer(orphans, i, model[i].holder)
			    : !lacks(orphans, i))
			return false;
	}
	return stored == orphans->stored_count &&
	       pointers == orphans->pointer_count &&
	       stn_orphans_count(orphans) == stored + pointers &&
	       lists_all(orphans);
}

/* One random call; whether its outcome is the model's. */
static bool
step(struct stn_orphans *orphans, struct stn_random *random, uint64_t time)
{
	uint32_t number = stn_random_below(random, NUMBERS);
	uint32_t holder = stn_random_below(random, 5);
	size_t size = 1 + stn_random_below(random, 90);
	uint64_t ns = MS + stn_random_next(random) % (100 * MS);

	switch (stn_random_below(random, 10)) {
	case 0:
	case 1:
	case 2:
	case 3:
		return model_keep(number, size, ns) ==
		       !keep(orphans, number, size, ns);
	case 4:
	case 5:
		model_learn(number, holder, time);
		return !learn(orphans, number, holder);
	case 6:
		if (time % 4)
			return true;
		return model_forget(holder) ==
		       stn_orphans_forget_holder(orphans, holder);
	case 7:
		model_supersede(number);
		stn_orphans_supersede(orphans, key(number));
		return true;
	case 8:
		if (time % 4 == 0)
			announce(orphans, number);
		return true;
	default:
		holder = model[number].kind != NONE;
		model[number].kind = NONE;
		return stn_orphans_remove(orphans, key(number)) == holder;
	}
}

static void
test_model(void)
{
	struct stn_orphans orphans;
	struct stn_random random;
	uint64_t time = 0;

	init(&orphans, RESULTS, BYTES, POINTERS);
	stn_random_seed(&random, 1, 0);
	while (time < 50000 && step(&orphans, &random, time) &&
	       agrees(&orphans))
		time++;
	tap_ok(time == 50000,
	       "%llu random calls have the same effect as in a simple model",
	       (unsigned long long)time);
	stn_orphans_fini(&orphans);
}

int
main(void)
{
	tap_begin();
	test_model();
	return tap_end();
}
