#include "bench/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOST 127 /* a shell's status for a command that is not found */

/* Runs gnuplot on these descriptors. Returns its exit status, or LOST. */
static int
gnuplot(const char *argument, int in, int out)
{
	char *argv[] = { (char *)"gnuplot", (char *)argument, NULL };
	posix_spawn_file_actions_t actions;
	int status, err;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return LOST;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return LOST;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* Gnuplot's terminal for a file's suffix; NULL if there is none. */
static const char *
terminal_of(const char *name)
{
	const char *suffix = strrchr(name, '.');

	if (suffix && !strcmp(suffix, ".svg"))
		return "svg size 900,600 background rgb 'white'";
	if (suffix && !strcmp(suffix, ".png"))
		return "pngcairo size 900,600";
	return NULL;
}

bool
plot_named(const char *name)
{
	return terminal_of(name);
}

bool
plot_ready(struct app_why *why)
{
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);
	int status = gnuplot("--version", none, none);

	close(none);
	if (status)
		return app_because(why, "plots are drawn by gnuplot, which is "
					"missing; install gnuplot-nox");
	return true;
}

/* Writes text in single quotes; a quote in the text is written twice. */
static void
quote(FILE *script, const char *text)
{
	fputc('\'', script);
	for (; *text; text++)
		fprintf(script, *text == '\'' ? "''" : "%c", *text);
	fputc('\'', script);
}

static bool
same_line(const struct report_row *a, const struct report_row *b)
{
	return !strcmp(a->benchmark, b->benchmark) &&
	       !strcmp(a->path, b->path) && !strcmp(a->unit, b->unit);
}

/* Returns true for the first row of a line of the plot. */
static bool
begins_line(const struct report_rows *rows, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (same_line(&rows->all[i], &rows->all[row]))
			return false;
	return true;
}

static void
write_points(FILE *script, const struct report_rows *rows, size_t row)
{
	fprintf(script, "$line%zu << end\n", row);
	for (size_t i = row; i < rows->count; i++)
		if (same_line(&rows->all[i], &rows->all[row]))
			fprintf(script, "%" PRIu64 " %g\n", rows->all[i].bytes,
				rows->all[i].median);
	fputs("end\n", script);
}

static void
write_lines(FILE *script, const struct report_rows *rows)
{
	const char *separator = "plot ";

	for (size_t i = 0; i < rows->count; i++)
		if (begins_line(rows, i))
			write_points(script, rows, i);
	fputs("set logscale xy\nset logscale x 2\nset format x '%.0b %B'\n"
	      "set xlabel 'bytes'\n",
	      script);
	for (size_t i = 0; i < rows->count; i++) {
		if (!begins_line(rows, i))
			continue;
		fprintf(script,
			"%s$line%zu with linespoints linewidth 2 title ",
			separator, i);
		quote(script, rows->all[i].path);
		separator = ", ";
	}
	fputc('\n', script);
}

static void
write_bars(FILE *script, const struct report_rows *rows)
{
	fputs("$bars << end\n", script);
	for (size_t i = 0; i < rows->count; i++)
		fprintf(script, "\"%s %s\" %g\n", rows->all[i].benchmark,
			rows->all[i].path, rows->all[i].median);
	fputs("end\nset style data histograms\nset style fill solid\n"
	      "set yrange [0:*]\nset xtics rotate by -30\n"
	      "plot $bars using 2:xtic(1) notitle\n",
	      script);
}

static bool
have_sizes(const struct report_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (!rows->all[i].bytes)
			return false;
	return true;
}

/* "noenhanced": gnuplot then prints all characters of texts as they are. */
static void
write_script(FILE *script, const struct report_rows *rows, const char *title,
	     const char *name)
{
	fprintf(script, "set terminal %s noenhanced\nset title ",
		terminal_of(name));
	quote(script, title);
	fputs("\nset ylabel ", script);
	quote(script, rows->all[0].unit);
	fputs("\nset key left top\nset grid\n", script);
	if (have_sizes(rows))
		write_lines(script, rows);
	else
		write_bars(script, rows);
}

bool
plot_draw(const struct report_rows *rows, const char *title, const char *name,
	  FILE *out, struct app_why *why)
{
	FILE *script = tmpfile();
	int status;

	if (!script)
		return app_because(why, "no temporary file for gnuplot: %s",
				   strerror(errno));
	if (rows->count)
		write_script(script, rows, title, name);
	rewind(script);
	status = gnuplot("-", fileno(script), fileno(out));
	fclose(script);
	if (status)
		return app_because(why, "%s: gnuplot failed with status %d",
				   name, status);
	return true;
}
