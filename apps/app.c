#include "apps/app.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OPTIONS_MOST 20

/*
 * getopt_long() returns HELP for --help, and BY_NAME + i for the name of the
 * table's entry number i.
 */
enum { HELP = 256, BY_NAME };

/* A table as getopt_long() wants it, with help and an end added. */
struct known {
	char letters[2 * OPTIONS_MOST + 2];
	struct option names[OPTIONS_MOST + 2];
};

bool
app_because(struct app_why *why, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why->text, sizeof(why->text), format, list);
	va_end(list);
	return false;
}

int
app_complain(int status, const char *format, ...)
{
	char line[400];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
	return status;
}

bool
app_number(const char *text, long least, long most, long *value_p)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)*text) && *text != '-')
		return false;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < least || value > most)
		return false;
	*value_p = value;
	return true;
}

bool
app_real(const char *text, double least, double most, double *value_p)
{
	const char *digits = *text == '-' ? text + 1 : text;
	char *end;
	double value;

	/* strtod() also accepts blanks, "nan", and hexadecimal numbers. */
	if (digits[strspn(digits, "0123456789.eE+-")] ||
	    !(isdigit((unsigned char)*digits) || *digits == '.'))
		return false;
	value = strtod(text, &end);
	if (end == text || *end || !(value >= least && value <= most))
		return false;
	*value_p = value;
	return true;
}

/* Reserves @most bytes, but the kernel gives pages only to those that are read.
 */
char *
app_read_file(const char *path, size_t most, size_t *bytes_p,
	      struct app_why *why)
{
	FILE *file = fopen(path, "rb");
	char *text = file ? malloc(most + 1) : NULL;
	size_t bytes = text ? fread(text, 1, most + 1, file) : 0;

	if (!file || ferror(file)) {
		app_because(why, "%s: %s", path, strerror(errno));
	} else if (!text) {
		app_because(why, "%s: out of memory", path);
	} else if (bytes > most) {
		app_because(why, "%s: larger than %zu bytes", path, most);
	} else {
		fclose(file);
		text[bytes] = '\0';
		*bytes_p = bytes;
		return text;
	}
	if (file)
		fclose(file);
	free(text);
	return NULL;
}

/* An error number, or 0 if files can be made beside @path. */
static int
check_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1)
				: strdup(".");
	int error = 0;

	if (!directory)
		return ENOMEM;
	if (!*path)
		error = ENOENT;
	else if (access(directory, W_OK | X_OK))
		error = errno;
	free(directory);
	return error;
}

bool
app_check_output(const char *path, struct app_why *why)
{
	struct stat found;
	int error;

	if (!path)
		return true;
	if (stat(path, &found))
		error = errno == ENOENT ? check_directory(path) : errno;
	else if (S_ISDIR(found.st_mode))
		error = EISDIR;
	else
		error = access(path, W_OK) ? errno : 0;
	return !error || app_because(why, "%s: %s", path, strerror(error));
}

bool
app_check_replaced(const char *path, struct app_why *why)
{
	struct stat found;
	int error = path ? check_directory(path) : 0;

	if (error)
		return app_because(why, "%s: %s", path, strerror(error));
	if (path && !stat(path, &found) && !S_ISREG(found.st_mode))
		return app_because(why, "%s: it is not a regular file", path);
	return true;
}

double
app_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int
app_misuse(const char *format, ...)
{
	char message[300];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	return app_complain(APP_USAGE, "%s; see %s --help", message,
			    program_invocation_short_name);
}

static bool
is_operand(const struct app_option *option)
{
	return !option->letter && !option->name;
}

static bool
is_end(const struct app_option *option)
{
	return is_operand(option) && !option->value;
}

static void
describe(const struct app_option *table, struct known *known)
{
	char *letter = known->letters;
	struct option *name = known->names;

	for (int i = 0; !is_end(&table[i]); i++) {
		assert(i < OPTIONS_MOST);
		if (table[i].letter)
			*letter++ = table[i].letter;
		if (table[i].letter && table[i].value)
			*letter++ = ':';
		if (table[i].name)
			*name++ = (struct option){ table[i].name,
						   table[i].value != NULL, NULL,
						   BY_NAME + i };
	}
	*letter++ = 'h';
	*letter = '\0';
	*name++ = (struct option){ "help", no_argument, NULL, HELP };
	*name = (struct option){ 0 };
}

/* The option for which getopt_long() has returned @found. */
static const struct app_option *
option_found(const struct app_option *table, int found)
{
	if (found >= BY_NAME)
		return &table[found - BY_NAME];
	while (table->letter != found)
		table++;
	return table;
}

/*
 * For an unknown letter getopt_long() sets optopt. For an unknown name it
 * doesn't, and only the argument before optind shows the name.
 */
static int
bad_option(char **argv)
{
	if (!optopt || optopt >= HELP)
		return app_misuse("bad or unfinished option '%s'",
				  argv[optind - 1]);
	return app_misuse("bad or unfinished option '-%c'",
			  isprint((unsigned char)optopt) ? optopt : '?');
}

static int
take(const struct app_option *option, const char *text)
{
	if (option->flag)
		*option->flag = true;
	else if (option->text)
		*option->text = text;
	else if (!app_number(text, option->least, option->most, option->number))
		return app_misuse("%s must be a whole number from %ld to %ld, "
				  "not '%s'",
				  option->value, option->least, option->most,
				  text);
	return APP_GO_ON;
}

static int
take_operands(int count, char **operands, const struct app_option *table)
{
	int status, taken = 0;

	for (; !is_end(table); table++) {
		if (!is_operand(table) || (taken == count && !table->needed))
			continue;
		if (taken == count)
			return app_misuse("%s is missing", table->value);
		status = take(table, operands[taken++]);
		if (status != APP_GO_ON)
			return status;
	}
	return taken == count ? APP_GO_ON : app_misuse("too many arguments");
}

int
app_options(int argc, char **argv, const char *help,
	    const struct app_option *table)
{
	struct known known;
	int found, status;

	describe(table, &known);
	opterr = 0; /* getopt_long() prints nothing; bad_option() does */
	while ((found = getopt_long(argc, argv, known.letters, known.names,
				    NULL)) != -1) {
		if (found == 'h' || found == HELP)
			return fputs(help, stdout) < 0;
		status = found == '?'
				 ? bad_option(argv)
				 : take(option_found(table, found), optarg);
		if (status != APP_GO_ON)
			return status;
	}
	return take_operands(argc - optind, argv + optind, table);
}
