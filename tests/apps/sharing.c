/*
 * sharing: tasks that read constants, for tests/constants.t: a tree whose nodes
 * look at places of two constants, one that main has made, and one that the
 * node above has made.
 *
 *	sharing [-w] [-b BRANCHES] [-d DEPTH] [-k BYTES] [-n NS]
 *
 *	-k	length of main's constant
 *	-n	each leaf of the tree takes so long
 *	-w	a task asks for a constant that it has not got
 *
 * Visits trees, one after the other, until the file exists that the environment
 * variable HELD_UNTIL names, as `held` does; without the variable, one tree.
 * Fails if a task has read another byte than was written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sateen.h>

#define LOOKS 64
#define OWN_BYTES 100

struct tree {
	int32_t branches, depth, bytes, ns;
};

static uint64_t
scatter(uint64_t number)
{
	number = (number ^ number >> 29) * 0xbf58476d1ce4e5b9;
	return number ^ number >> 32;
}

static unsigned char
byte_at(uint64_t seed, uint64_t at)
{
	return (unsigned char)scatter(seed * 0x9e3779b97f4a7c15 + at);
}

static struct stn_const
make(STN_FRAME, uint64_t seed, int32_t bytes)
{
	unsigned char *data = malloc((size_t)bytes + 1);
	struct stn_const made;

	for (int32_t i = 0; i < bytes; i++)
		data[i] = byte_at(seed, (uint64_t)i);
	made = STN_CONST(data, (size_t)bytes);
	free(data);
	return made;
}

/* The number of places, of those at which it looks, that have a wrong byte. */
static int
look(const unsigned char *at, uint64_t seed, int32_t bytes, uint64_t path)
{
	int wrong = 0;

	for (uint64_t i = 0; bytes && i < LOOKS; i++) {
		uint64_t place = scatter(path + i) % (uint64_t)bytes;

		wrong += at[place] != byte_at(seed, place);
	}
	return wrong;
}

/* @above is the path of the node that has made @own. */
STN_TASK(int, visit, struct stn_const, all, struct stn_const, own, struct tree,
	 tree, uint64_t, path, uint64_t, above, int, depth)
{
	int wrong = look(STN_CONST_AT(all), 0, tree.bytes, path) +
		    look(STN_CONST_AT(own), above, OWN_BYTES, path);

	STN_WORK(1);
	if (depth == tree.depth) {
		STN_SLEEP((uint64_t)tree.ns);
		return wrong;
	}
	/* The nodes of one level share a constant, or make one each. */
	if (depth % 2) {
		above = path;
		own = make(STN_PASS_FRAME, above, OWN_BYTES);
	}
	for (int i = 0; i < tree.branches; i++)
		STN_SPAWN(visit, all, own, tree,
			  path * (uint64_t)tree.branches + (uint64_t)i + 1,
			  above, depth + 1);
	for (int i = 0; i < tree.branches; i++)
		wrong += STN_SYNC(visit);
	return wrong;
}

STN_MAIN(argc, argv)
{
	struct tree tree = { .branches = 4, .depth = 4, .bytes = 100000 };
	const char *until = getenv("HELD_UNTIL");
	struct stn_const all, own;
	uint64_t visited = 0;
	int option, wrong = 0;

	while ((option = getopt(argc, argv, "b:d:k:n:w")) >= 0)
		switch (option) {
		case 'b':
			tree.branches = atoi(optarg);
			break;
		case 'd':
			tree.depth = atoi(optarg);
			break;
		case 'k':
			tree.bytes = atoi(optarg);
			break;
		case 'n':
			tree.ns = atoi(optarg);
			break;
		case 'w':
			own = (struct stn_const){ 1 };
			return STN_CONST_AT(own) == NULL;
		default:
			return 2;
		}
	all = make(STN_PASS_FRAME, 0, tree.bytes);
	own = make(STN_PASS_FRAME, 1, OWN_BYTES);
	do
		wrong += STN_CALL(visit, all, own, tree, ++visited, 1, 0);
	while (until && access(until, F_OK));
	printf("sharing: %s\n", wrong ? "wrong" : "right");
	return wrong != 0;
}
