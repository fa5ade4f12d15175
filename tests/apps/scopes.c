/*
 * scopes: searches that end early, for tests/bounds.t: the first good leaf of a
 * tree, or any. A call below the root first asks by a scope of its own whether
 * there is any good leaf below it.
 *
 *	scopes [--any] [DEPTH [NS]]	each node of the tree takes NS
 *	scopes --last			a call gives a key that is too high
 *
 * Prints the path to the first good leaf, or with --any only that the leaf that
 * was found is good. Fails if a sequential search says otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sateen.h>

#define BRANCHES 3
#define PATH_BITS 2 /* of an edge in a path */
#define ONE_OF 40   /* leaves is good */

struct place {
	uint64_t path; /* to a node of the tree, which is its key */
	int32_t edges, depth, ns;
	bool any;
};

static struct place
child_of(struct place place, int number)
{
	place.edges++;
	place.path |= (uint64_t)number << (62 - PATH_BITS * place.edges);
	return place;
}

static bool
is_good(uint64_t path)
{
	uint64_t hash = ((path >> 40) + 1) * 0x9e3779b97f4a7c15;

	return (hash >> 33) % ONE_OF == 0;
}

STN_TASK_VOID(probe, struct stn_bound, scope, struct place, place)
{
	if (STN_CLOSED(STN_BOUND_AT(scope), place.path))
		return;
	STN_WORK(1);
	STN_SLEEP((uint64_t)place.ns);
	if (place.edges == place.depth) {
		if (is_good(place.path))
			STN_CLOSE_ANY(scope, &place.path, sizeof(place.path));
		return;
	}
	for (int i = BRANCHES - 1; i >= 0; i--)
		STN_SPAWN(probe, scope, child_of(place, i));
	for (int i = 0; i < BRANCHES; i++)
		STN_SYNC(probe);
}

static bool
any_below(STN_FRAME, struct place place)
{
	struct stn_bound scope = STN_SCOPE();
	uint64_t path = 0;

	STN_CALL(probe, scope, place);
	return STN_SOLVED(scope, &path, sizeof(path)) && is_good(path);
}

STN_TASK_VOID(look, struct stn_bound, scope, struct place, place)
{
	if (STN_CLOSED(STN_BOUND_AT(scope), place.path))
		return;
	STN_WORK(1);
	STN_SLEEP((uint64_t)place.ns);
	if (place.edges == place.depth) {
		if (is_good(place.path) && place.any)
			STN_CLOSE_ANY(scope, &place.path, sizeof(place.path));
		else if (is_good(place.path))
			STN_CLOSE(scope, place.path, &place.path,
				  sizeof(place.path));
		return;
	}
	if (place.edges == 1 && !any_below(STN_PASS_FRAME, place))
		return;
	for (int i = BRANCHES - 1; i >= 0; i--)
		STN_SPAWN(look, scope, child_of(place, i));
	for (int i = 0; i < BRANCHES; i++)
		STN_SYNC(look);
}

/* The first good leaf, or UINT64_MAX. */
static uint64_t
first_alone(struct place place)
{
	uint64_t found = UINT64_MAX;

	if (place.edges == place.depth)
		return is_good(place.path) ? place.path : UINT64_MAX;
	for (int i = 0; i < BRANCHES && found == UINT64_MAX; i++)
		found = first_alone(child_of(place, i));
	return found;
}

/* The last keys in search order. */
static bool
last_keys(STN_FRAME)
{
	struct stn_bound scope = STN_SCOPE();
	const struct stn_incumbent *at = STN_BOUND_AT(scope);
	bool open = !STN_CLOSED(at, UINT64_MAX);

	STN_CLOSE(scope, UINT64_MAX - 1, NULL, 0);
	return open && !STN_CLOSED(at, UINT64_MAX - 2) &&
	       STN_CLOSED(at, UINT64_MAX - 1) && STN_CLOSED(at, UINT64_MAX);
}

STN_MAIN(argc, argv)
{
	bool any = argc > 1 && !strcmp(argv[1], "--any");
	struct place root = { .depth = argc > 1 + any ? atoi(argv[1 + any]) : 7,
			      .ns = argc > 2 + any ? atoi(argv[2 + any]) : 0,
			      .any = any };
	struct stn_bound scope = STN_SCOPE();
	uint64_t path = UINT64_MAX, first = first_alone(root);
	bool right, solved;

	if (argc > 1 && !strcmp(argv[1], "--last"))
		STN_CLOSE(scope, UINT64_MAX, NULL, 0);
	STN_CALL(look, scope, root);
	solved = STN_SOLVED(scope, &path, sizeof(path));
	right = any && solved ? is_good(path) : path == first;
	right &= solved == (first != UINT64_MAX) && last_keys(STN_PASS_FRAME);
	if (any)
		printf("a good leaf: %s\n", solved ? "found" : "none");
	else
		printf("first: %016llx\n", (unsigned long long)path);
	printf("scopes: %s\n", right ? "right" : "wrong");
	return 0;
}
