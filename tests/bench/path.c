/*
 * path.c: how long a path of sateen bench waits for the other node.
 */
#include "bench/fabric/path.h"

#include <sys/wait.h>

#include "bench/ticks.h"
#include "launch/wireup/wireup_ops.h"
#include "tests/tap.h"

#define ABORTED 3 /* exit status of a node that tells the launcher why */

static void
abort_run(struct stn_wireup *wireup, const char *text)
{
	(void)wireup;
	(void)text;
	_exit(ABORTED);
}

static const struct stn_wireup_ops wireup_ops = { .abort = abort_run };
static struct stn_wireup wireup = { .ops = &wireup_ops };
static const struct path_ops path_ops = { .name = "made up" };

/*
 * The exit status of a node that looks at the clock when its peer's time is up.
 * Has something @advanced in that time? 0: the peer's time starts anew.
 */
static int
looks_late(bool advanced)
{
	struct path path = { .ops = &path_ops, .wireup = &wireup };
	int status = -1;
	pid_t child = fork();

	if (!child) {
		path_begin(&path);
		if (advanced)
			path_advance(&path);
		path.deadline_ns = 1;
		path_look(&path);
		_exit(path.deadline_ns > ticks_clock_ns() + 50 * STN_SECOND_NS
			      ? EXIT_SUCCESS
			      : EXIT_FAILURE);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int
main(void)
{
	tap_begin();
	tap_ok(looks_late(false) == ABORTED,
	       "the run ends if nothing has moved in the peer's time");
	tap_ok(looks_late(true) == EXIT_SUCCESS,
	       "the peer gets a minute more if something has moved");
	return tap_end();
}
