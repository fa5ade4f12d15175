/*
 * watched: a program for the tests of progress, --metrics and `sateen top`. Its
 * tasks report their progress, and improve a bound if a second argument says
 * so. Then main waits until it can read a line from the fifo that is its first
 * argument; so the run lasts as long as the test needs.
 *
 *	usage: watched FIFO [shown]
 */
#include <stdio.h>
#include <sateen.h>

#define LEAVES 64
#define LEAF_NS 1000000

STN_TASK(long, leaf, long, number, struct stn_bound, bound)
{
	STN_SLEEP(LEAF_NS);
	STN_IMPROVE(bound, LEAVES - number, 0, NULL, 0);
	STN_PROGRESS(2, 0);
	return number;
}

/* Waits for the test; false if there is no line. */
static int
await(const char *path)
{
	char line[80];
	FILE *from = fopen(path, "r");
	int read = from && fgets(line, sizeof(line), from);

	if (from)
		fclose(from);
	return read;
}

STN_MAIN(argc, argv)
{
	struct stn_bound bound = STN_BOUND_MIN(1000);
	long sum = 0;

	if (argc < 2)
		return 2;
	if (argc > 2)
		(void)STN_WATCH(bound);
	STN_PROGRESS(0, LEAVES);
	for (long i = 0; i < LEAVES; i++) {
		STN_PROGRESS(0, 1);
		STN_SPAWN(leaf, i, bound);
	}
	for (long i = 0; i < LEAVES; i++)
		sum += STN_SYNC(leaf);
	if (!await(argv[1]))
		return 1;
	STN_PROGRESS_END();
	printf("watched: %ld\n", sum);
	return 0;
}
