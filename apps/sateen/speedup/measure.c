/*
 * measure.c: runs the program by `sateen run` or `sateen sim`, with a trace of
 * little memory, which has the time of main, and in virtual time work and span.
 * A real run for work and span is made apart, because measuring them slows it.
 */
#include "apps/sateen/speedup/speedup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/sateen/report/run.h"
#include "launch/signals.h"

/* of a trace: for the newest events, which are enough */
#define MEMORY "64KiB"
#define OWN_WORDS 16 /* of a command line, besides settings and program */
#define LINE_BYTES 400
#define SIMULATED "sateen: simulated " /* see launch/simulate.c */

/* What all runs have in common. */
struct runs {
	char trace[PATH_MAX], errors[PATH_MAX]; /* removed at the end */
	sigset_t mask; /* see stn_signals_block */
	struct stn_signals_before before;
	int ended; /* the signal that has ended the runs, or 0 */
};

static bool
make_file(char path[PATH_MAX])
{
	const char *base = getenv("TMPDIR");
	int fd;

	snprintf(path, PATH_MAX, "%s/sateen-speedup-XXXXXX",
		 base && strlen(base) < PATH_MAX / 2 ? base : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "sateen: can't write %s: %s\n", path,
			strerror(errno));
		return false;
	}
	close(fd);
	return true;
}

/* The words of the command line of one run; the caller frees the array. */
static char **
command_of(const struct speedup *speedup, char *numbers[3], char *trace)
{
	char *const own[] = { "--nodes",  numbers[0],	"--workers",
			      numbers[1], "--clusters", numbers[2],
			      "--trace",  trace,	"--trace-memory",
			      MEMORY,	  "--" };
	size_t own_count = sizeof(own) / sizeof(own[0]), count = 2;
	size_t arguments = 0;
	char **words;

	while (speedup->program[arguments])
		arguments++;
	words = calloc(OWN_WORDS + (size_t)speedup->setting_count + arguments,
		       sizeof(words[0]));
	if (!words)
		return NULL;
	words[0] = "sateen";
	words[1] = speedup->sim ? "sim" : "run";
	for (int i = 0; i < speedup->setting_count; i++)
		words[count++] = speedup->settings[i];
	memcpy(words + count, own, sizeof(own));
	memcpy(words + count + own_count, speedup->program,
	       arguments * sizeof(words[0]));
	return words;
}

/* The child: becomes `sateen run`. Its output is not wanted. */
static _Noreturn void
become_run(char **words, const struct runs *runs)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int to = open(runs->errors, O_WRONLY | O_TRUNC | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	stn_signals_restore(&runs->before);
	if (null < 0 || to < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(to, STDERR_FILENO) < 0)
		_exit(126);
	execv("/proc/self/exe", words);
	_exit(127);
}

/*
 * Returns the status of the run, as waitpid tells it; -1, with errno. A signal
 * to end reaches the run, too, so that the files can be removed after it. A
 * terminal has sent it to both.
 */
static int
await_run(pid_t pid, struct runs *runs)
{
	siginfo_t info;
	pid_t ended;
	int status;

	while (!(ended = waitpid(pid, &status, WNOHANG))) {
		int signal = sigwaitinfo(&runs->mask, &info);

		if (signal <= 0 || signal == SIGCHLD)
			continue;
		runs->ended = signal;
		if (info.si_code != SI_KERNEL)
			kill(pid, signal);
	}
	return ended < 0 ? -1 : status;
}

/* Takes the signals that have come since the last run. */
static void
take_signals(struct runs *runs)
{
	const struct timespec now = { 0, 0 };
	int signal;

	while ((signal = sigtimedwait(&runs->mask, NULL, &now)) > 0)
		if (signal != SIGCHLD)
			runs->ended = signal;
}

/* Likewise; -1: it did not begin. */
static int
run_once(const struct speedup *speedup, const struct point *point,
	 struct runs *runs, const char *tasks)
{
	char numbers[3][16], trace[PATH_MAX + 8];
	uint32_t clusters = speedup->clusters < point->nodes ? speedup->clusters
							     : point->nodes;
	char **words;
	int status = -1, problem;
	pid_t pid;

	snprintf(numbers[0], sizeof(numbers[0]), "%u", point->nodes);
	snprintf(numbers[1], sizeof(numbers[1]), "%u", point->workers);
	snprintf(numbers[2], sizeof(numbers[2]), "%u", clusters);
	snprintf(trace, sizeof(trace), "%s%s", tasks, runs->trace);
	words = command_of(speedup,
			   (char *[]){ numbers[0], numbers[1], numbers[2] },
			   trace);
	pid = words ? fork() : -1;
	if (!pid)
		become_run(words, runs);
	if (pid > 0)
		status = await_run(pid, runs);
	problem = errno;
	free(words);
	errno = problem;
	return status;
}

/* What the simulator adds after all messages of the program. */
static bool
is_of_simulator(const char *line)
{
	return !strncmp(line, SIMULATED, strlen(SIMULATED));
}

/* The last line of the messages of the program, or of its launcher. */
static void
last_line(const char *path, char line[LINE_BYTES])
{
	FILE *file = fopen(path, "re");
	char next[LINE_BYTES];

	line[0] = '\0';
	while (file && fgets(next, sizeof(next), file)) {
		next[strcspn(next, "\n")] = '\0';
		if (next[0] && !is_of_simulator(next))
			memcpy(line, next, sizeof(next));
	}
	if (file)
		fclose(file);
}

static int
tell_failure(const struct speedup *speedup, const struct point *point,
	     const struct runs *runs, int status)
{
	char line[LINE_BYTES];
	const char *text = line;
	int code = WIFEXITED(status)	 ? WEXITSTATUS(status)
		   : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
					 : EXIT_FAILURE;

	last_line(runs->errors, line);
	if (!strncmp(text, "sateen: ", 8))
		text += 8;
	fprintf(stderr,
		"sateen: %.80s with %u node%s of %u worker%s: status %d%s%s\n",
		speedup->program[0], point->nodes, point->nodes == 1 ? "" : "s",
		point->workers, point->workers == 1 ? "" : "s", code,
		*text ? ": " : "", text);
	if (runs->ended)
		return 128 + runs->ended;
	return code == 128 + SIGINT ? code : EXIT_FAILURE;
}

/* Runs the program, and reads the trace; the caller calls run_fini. */
static int
measure_run(const struct speedup *speedup, const struct point *point,
	    struct runs *runs, const char *tasks, struct run *run)
{
	const char *wrong = "no trace was written";
	FILE *file;
	int status;

	*run = (struct run){ .command = NULL };
	if (truncate(runs->trace, 0)) {
		fprintf(stderr, "sateen: can't write %s: %s\n", runs->trace,
			strerror(errno));
		return EXIT_FAILURE;
	}
	status = run_once(speedup, point, runs, tasks);
	if (status == -1) {
		fprintf(stderr, "sateen: can't run %.80s: %s\n",
			speedup->program[0], strerror(errno));
		return EXIT_FAILURE;
	}
	if (status || runs->ended)
		return tell_failure(speedup, point, runs, status);
	file = fopen(runs->trace, "re");
	if (file) {
		wrong = run_read(file, run);
		fclose(file);
	}
	if (!wrong)
		return 0;
	fprintf(stderr,
		"sateen: %.80s has left no trace of its run (%s); is it a "
		"program of Sateen?\n",
		speedup->program[0], wrong);
	return EXIT_FAILURE;
}

static int
order(const void *a, const void *b)
{
	double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

static double
median(double *times, uint32_t count)
{
	qsort(times, count, sizeof(times[0]), order);
	return count % 2 ? times[count / 2]
			 : (times[count / 2 - 1] + times[count / 2]) / 2;
}

static void
take_graph(struct speedup *speedup, const struct run *run)
{
	speedup->work_s = (double)run->work_ns * 1e-9;
	speedup->span_s = (double)run->span_ns * 1e-9;
}

static int
measure_point(struct speedup *speedup, struct point *point, struct runs *runs)
{
	double *times = calloc(speedup->repeats, sizeof(times[0]));
	int status = times ? 0 : EXIT_FAILURE;

	for (uint32_t i = 0; !status && i < speedup->repeats; i++) {
		struct run run;

		status = measure_run(speedup, point, runs, "", &run);
		times[i] = (double)(run.end_ns - run.begin_ns) * 1e-9;
		if (!status && speedup->sim && point == speedup->points)
			take_graph(speedup, &run);
		run_fini(&run);
	}
	if (!status)
		point->seconds = median(times, speedup->repeats);
	free(times);
	return status;
}

/* Work and span of a real run, with one worker. */
static int
measure_graph(struct speedup *speedup, struct runs *runs)
{
	struct run run;
	int status =
		measure_run(speedup, speedup->points, runs, "tasks:", &run);

	if (!status)
		take_graph(speedup, &run);
	run_fini(&run);
	return status;
}

static int
measure_points(struct speedup *speedup, struct runs *runs)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < speedup->count; i++)
		status = measure_point(speedup, &speedup->points[i], runs);
	if (!status && !speedup->sim)
		status = measure_graph(speedup, runs);
	return status;
}

int
measure_all(struct speedup *speedup)
{
	struct runs runs = { .ended = 0 };
	int status = EXIT_FAILURE;

	stn_signals_block(&runs.mask, &runs.before);
	if (make_file(runs.trace)) {
		if (make_file(runs.errors)) {
			status = measure_points(speedup, &runs);
			unlink(runs.errors);
		}
		unlink(runs.trace);
	}
	take_signals(&runs);
	stn_signals_restore(&runs.before);
	return runs.ended ? 128 + runs.ended : status;
}
