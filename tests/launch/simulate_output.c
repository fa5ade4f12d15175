/*
 * simulate_output.c: a write of a simulation fails because a pipe is full. What
 * was printed is a beginning of the output: nothing is missing in it, and
 * nothing is printed twice, also if the next root prints all of it again.
 */
#include <fcntl.h>
#include <string.h>

#include "emul/sim_private.h"
#include "launch/simulate_output.h"
#include "tests/tap.h"

#define LINES 200
#define LINE_BYTES 100

static char whole[LINES * LINE_BYTES + 1], printed[sizeof(whole)];
static size_t count;

static void
print(size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		printf("%.*s", LINE_BYTES, whole + i * LINE_BYTES);
}

/* Reads what the pipe has. */
static void
drain(int from)
{
	ssize_t got;

	while ((got = read(from, printed + count, sizeof(printed) - count)) > 0)
		count += (size_t)got;
}

int
main(void)
{
	static struct stn_sim sim;
	struct stn_simulate_output output = { .root = 0 };
	int pipes[2], before = dup(STDOUT_FILENO);
	bool failed, later;

	tap_begin();
	for (size_t i = 0; i < LINES; i++)
		sprintf(whole + i * LINE_BYTES, "%099zu\n", i);
	if (pipe2(pipes, O_NONBLOCK) ||
	    fcntl(pipes[1], F_SETPIPE_SZ, 4096) < 0 ||
	    dup2(pipes[1], STDOUT_FILENO) < 0 ||
	    stn_simulate_output_open(&output, &sim))
		abort();
	print(0, LINES / 2);
	failed = ferror(stdout);
	drain(pipes[0]);
	print(LINES / 2, LINES / 2 + 1);
	drain(pipes[0]);
	later = ferror(stdout);
	stn_simulate_output_root(&output, 1);
	for (size_t i = 0; i < LINES; i++) {
		print(i, i + 1);
		drain(pipes[0]);
	}
	stn_simulate_output_fini(&output);
	dup2(before, STDOUT_FILENO);
	tap_ok(failed && later, "the program learns that a write has failed");
	tap_ok(count >= LINE_BYTES && count < LINES / 2 * LINE_BYTES &&
		       !memcmp(printed, whole, count),
	       "a beginning of the output is printed: %zu bytes", count);
	return tap_end();
}
