/*
 * speeds.c: nodes whose speeds change over time. The time that a computation
 * takes must equal arithmetic.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emul/speeds.h"
#include "tests/tap.h"

#define MS 1000000ull
#define NODES 8

static struct stn_speeds
parse_speeds(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct stn_speeds speeds;
	struct stn_why why;

	if (!in || stn_speeds_init(&speeds, NODES)) {
		printf("Bail out! no memory\n");
		exit(EXIT_FAILURE);
	}
	stn_speeds_begin(&speeds, 7, 4);
	if (stn_speeds_parse(in, "text", &speeds, &why)) {
		printf("Bail out! %s\n", why.text);
		exit(EXIT_FAILURE);
	}
	fclose(in);
	return speeds;
}

/* Whether the parser refuses @text with a line that contains @pattern. */
static bool
refuses(const char *text, const char *pattern)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct stn_speeds speeds;
	struct stn_why why = { "" };
	bool refused =
		in && !stn_speeds_init(&speeds, NODES) &&
		stn_speeds_parse(in, "text", &speeds, &why) == STN_INVALID &&
		strstr(why.text, pattern);

	if (!refused)
		printf("# %s\n", why.text);
	stn_speeds_fini(&speeds);
	fclose(in);
	return refused;
}

/* Whether @work_ms that begins at @begin_ms takes @took_ms on node @rank. */
static bool
takes(const struct stn_speeds *speeds, uint32_t rank, uint64_t begin_ms,
      uint64_t work_ms, uint64_t took_ms)
{
	uint64_t took = stn_speed_takes(&speeds->nodes[rank], begin_ms * MS,
					work_ms * MS);

	if (took != took_ms * MS)
		printf("# took %g ms\n", (double)took / MS);
	return took == took_ms * MS;
}

static void
test_integral(void)
{
	struct stn_speeds speeds = parse_speeds("4-5 0.5	# half\n"
						"@ 100ms\n"
						"5 2\n"
						"6 0\n"
						"@ 200ms\n"
						"* 0.25\n"
						"0 1\n");

	tap_ok(takes(&speeds, 0, 7, 1000, 1000), "speed 1 in all sections");
	tap_ok(takes(&speeds, 1, 7, 193, 193) &&
		       takes(&speeds, 1, 7, 194, 197) &&
		       takes(&speeds, 1, 300, 2, 8),
	       "a node that becomes slower at 200 ms");
	tap_ok(takes(&speeds, 4, 0, 100, 200) && takes(&speeds, 4, 0, 101, 204),
	       "a node that a section does not describe stays as before");
	tap_ok(takes(&speeds, 5, 90, 4, 8) && takes(&speeds, 5, 90, 7, 11) &&
		       takes(&speeds, 5, 90, 206, 114),
	       "a computation over three sections");
	tap_ok(takes(&speeds, 6, 99, 1, 1) && takes(&speeds, 6, 99, 2, 105) &&
		       takes(&speeds, 6, 150, 1, 54),
	       "a node that stands still for 100 ms");
	tap_ok(takes(&speeds, 7, 0, 400, 100) && takes(&speeds, 7, 199, 5, 5),
	       "the speed before the first section is that of --speed");
	stn_speeds_fini(&speeds);
}

static void
test_refusals(void)
{
	tap_ok(refuses("1 2\n1 x\n",
		       "text, line 2: not NODES SPEED, such as 4-7 0.5, with "
		       "nodes from 0 to 7"),
	       "a speed that is no number is refused");
	tap_ok(refuses("8 1", "line 1: not NODES") &&
		       refuses("1-8 1", "line 1") && refuses("3-2 1", "line 1"),
	       "so are nodes that do not exist, and a range backwards");
	tap_ok(refuses("1 -1", "line 1") && refuses("1 inf", "line 1") &&
		       refuses("1 nan", "line 1") &&
		       refuses("1 1e7", "line 1") &&
		       refuses("1 1e-9", "line 1") && refuses("1", "line 1") &&
		       refuses("1 1 1", "line 1"),
	       "so are speeds out of bounds, none, and two");
	tap_ok(refuses("@ 5s\n1 1\n@ 5s\n",
		       "line 3: this time is not after the one before"),
	       "so are times that do not ascend");
	tap_ok(refuses("@ x\n", "line 1: not @ TIME, such as @ 60s"),
	       "so is a time that is none");
	tap_ok(refuses("2-3 0\n@ 9s\n2 1\n",
		       "line 1: node 3 stops for ever; raise its speed"),
	       "so is a node that stops for ever");
}

int
main(void)
{
	tap_begin();
	test_integral();
	test_refusals();
	return tap_end();
}
