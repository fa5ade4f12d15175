#include "apps/app.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
	} else if (!text || bytes > most) {
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

double
app_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
