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

/* of a trace: for the newest events, which are enough */
#define MEMORY "64KiB"
#define OWN_WORDS 16 /* of a command line, besides settings and program */
#define LINE_BYTES 400

/* The files of one run; both are removed at the end. */
struct files {
	char trace[PATH_MAX], errors[PATH_MAX];
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
become_run(char **words, const char *errors)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int to = open(errors, O_WRONLY | O_TRUNC | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_DFL);
	if (null < 0 || to < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(to, STDERR_FILENO) < 0)
		_exit(126);
	execv("/proc/self/exe", words);
	_exit(127);
}

/* Returns the status of the run, as waitpid tells it; -1, with errno. */
static int
await_run(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Likewise; -1: it did not begin. */
static int
run_once(const struct speedup *speedup, const struct point *point,
	 const struct files *files, const char *tasks)
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
	snprintf(trace, sizeof(trace), "%s%s", tasks, files->trace);
	words = command_of(speedup,
			   (char *[]){ numbers[0], numbers[1], numbers[2] },
			   trace);
	pid = words ? fork() : -1;
	if (!pid)
		become_run(words, files->errors);
	if (pid > 0)
		status = await_run(pid);
	problem = errno;
	free(words);
	errno = problem;
	return status;
}

/* The last line of the run's messages that is not empty. */
static void
last_line(const char *path, char line[LINE_BYTES])
{
	FILE *file = fopen(path, "re");
	char next[LINE_BYTES];

	line[0] = '\0';
	while (file && fgets(next, sizeof(next), file)) {
		next[strcspn(next, "\n")] = '\0';
		if (next[0])
			memcpy(line, next, sizeof(next));
	}
	if (file)
		fclose(file);
}

static int
tell_failure(const struct speedup *speedup, const struct point *point,
	     const struct files *files, int status)
{
	char line[LINE_BYTES];
	const char *text = line;
	int code = WIFEXITED(status)	 ? WEXITSTATUS(status)
		   : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
					 : EXIT_FAILURE;

	last_line(files->errors, line);
	if (!strncmp(text, "sateen: ", 8))
		text += 8;
	fprintf(stderr,
		"sateen: %.80s with %u node%s of %u worker%s: status %d%s%s\n",
		speedup->program[0], point->nodes, point->nodes == 1 ? "" : "s",
		point->workers, point->workers == 1 ? "" : "s", code,
		*text ? ": " : "", text);
	return code == 128 + SIGINT ? code : EXIT_FAILURE;
}

/* Runs the program, and reads the trace; the caller calls run_fini. */
static int
measure_run(const struct speedup *speedup, const struct point *point,
	    const struct files *files, const char *tasks, struct run *run)
{
	const char *wrong = "no trace was written";
	FILE *file;
	int status;

	*run = (struct run){ .command = NULL };
	if (truncate(files->trace, 0)) {
		fprintf(stderr, "sateen: can't write %s: %s\n", files->trace,
			strerror(errno));
		return EXIT_FAILURE;
	}
	status = run_once(speedup, point, files, tasks);
	if (status == -1) {
		fprintf(stderr, "sateen: can't run %.80s: %s\n",
			speedup->program[0], strerror(errno));
		return EXIT_FAILURE;
	}
	if (status)
		return tell_failure(speedup, point, files, status);
	file = fopen(files->trace, "re");
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
measure_point(struct speedup *speedup, struct point *point,
	      const struct files *files)
{
	double *times = calloc(speedup->repeats, sizeof(times[0]));
	int status = times ? 0 : EXIT_FAILURE;

	for (uint32_t i = 0; !status && i < speedup->repeats; i++) {
		struct run run;

		status = measure_run(speedup, point, files, "", &run);
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
measure_graph(struct speedup *speedup, const struct files *files)
{
	struct run run;
	int status =
		measure_run(speedup, speedup->points, files, "tasks:", &run);

	if (!status)
		take_graph(speedup, &run);
	run_fini(&run);
	return status;
}

int
measure_all(struct speedup *speedup)
{
	struct files files;
	int status = EXIT_FAILURE;

	if (!make_file(files.trace))
		return status;
	if (make_file(files.errors)) {
		/* The run gets it, too, and ends. */
		signal(SIGINT, SIG_IGN);
		status = 0;
		for (uint32_t i = 0; !status && i < speedup->count; i++)
			status = measure_point(speedup, &speedup->points[i],
					       &files);
		if (!status && !speedup->sim)
			status = measure_graph(speedup, &files);
		unlink(files.errors);
	}
	unlink(files.trace);
	return status;
}
