#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bench/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/plot.h"
#include "transport/memory.h"

#define FORMAT 1 /* of JSON; raised when a member is renamed or removed */

struct report {
	struct report_rows rows;
	char *headline;
	char **notes;
	size_t note_count;
	struct report_files names;
	FILE *csv, *json, *plot;
};

static char *
text_of(const char *format, va_list list)
{
	char *text;

	if (vasprintf(&text, format, list) < 0)
		abort();
	return text;
}

static bool
open_file(const char *name, FILE **file_p, struct app_why *why)
{
	if (!name)
		return true;
	*file_p = fopen(name, "we");
	if (!*file_p)
		return app_because(why, "%s: %s", name, strerror(errno));
	return true;
}

static void
destroy(struct report *report)
{
	FILE *files[] = { report->csv, report->json, report->plot };

	for (size_t i = 0; i < 3; i++)
		if (files[i])
			fclose(files[i]);
	for (size_t i = 0; i < report->note_count; i++)
		free(report->notes[i]);
	free(report->notes);
	free(report->headline);
	free(report->rows.all);
	free(report);
}

int
report_files_check(const struct report_files *files)
{
	if (!files->plot || plot_named(files->plot))
		return APP_GO_ON;
	return app_misuse("%s: a plot must be called *.svg or *.png",
			  files->plot);
}

struct report *
report_open(const struct report_files *files, struct app_why *why)
{
	struct report *report = stn_or_abort(malloc(sizeof(*report)));

	*report = (struct report){ .names = *files };
	if ((!files->plot || plot_ready(why)) &&
	    open_file(files->csv, &report->csv, why) &&
	    open_file(files->json, &report->json, why) &&
	    open_file(files->plot, &report->plot, why))
		return report;
	destroy(report);
	return NULL;
}

void
report_headline(struct report *report, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	free(report->headline);
	report->headline = text_of(format, list);
	va_end(list);
}

void
report_note(struct report *report, const char *format, ...)
{
	va_list list;

	report->notes =
		stn_or_abort(reallocarray(report->notes, report->note_count + 1,
					  sizeof(report->notes[0])));
	va_start(list, format);
	report->notes[report->note_count++] = text_of(format, list);
	va_end(list);
}

void
report_add(struct report *report, const struct report_row *row)
{
	struct report_rows *rows = &report->rows;

	rows->all = stn_or_abort(
		reallocarray(rows->all, rows->count + 1, sizeof(rows->all[0])));
	rows->all[rows->count++] = *row;
}

static bool
same_group(const struct report_row *a, const struct report_row *b)
{
	return a->bytes == b->bytes && !strcmp(a->benchmark, b->benchmark) &&
	       !strcmp(a->unit, b->unit);
}

static void
describe_bytes(uint64_t bytes, char text[32])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	size_t unit = 0;

	for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	snprintf(text, 32, "%" PRIu64 " %s", bytes, units[unit]);
}

/* Returns the decimals that show four significant digits, 6 at most. */
static int
decimals(double value)
{
	int digits = value > 0 ? 3 - (int)floor(log10(value)) : 0;

	return digits < 0 ? 0 : digits > 6 ? 6 : digits;
}

static void
print_row(const struct report_row *row, const struct report_row *first,
	  int width)
{
	char size[32] = "";

	if (row == first && row->bytes)
		describe_bytes(row->bytes, size);
	printf("%-16s %9s  %-*s %10.*f %10.*f  %-6s",
	       row == first ? row->benchmark : "", size, width, row->path,
	       decimals(row->median), row->median, decimals(row->p99), row->p99,
	       row->unit);
	if (row != first && row->median > 0)
		printf(" %7.2f", first->median / row->median);
	else
		printf(" %7s", "");
	printf(" %9zu\n", row->samples);
}

static void
print_table(const struct report *report)
{
	const struct report_rows *rows = &report->rows;
	const struct report_row *first = rows->all;
	int width = 4;

	if (report->headline)
		printf("%s\n", report->headline);
	for (size_t i = 0; i < report->note_count; i++)
		printf("  %s\n", report->notes[i]);
	for (size_t i = 0; i < rows->count; i++)
		if (width < (int)strlen(rows->all[i].path))
			width = (int)strlen(rows->all[i].path);
	printf("%-16s %9s  %-*s %10s %10s  %-6s %7s %9s\n", "benchmark", "size",
	       width, "path", "median", "99 %", "unit", "ratio", "samples");
	for (size_t i = 0; i < rows->count; i++) {
		if (!same_group(first, &rows->all[i]))
			first = &rows->all[i];
		print_row(&rows->all[i], first, width);
	}
}

/* Writes a text and a comma. A text with a comma stands in quotes (RFC 4180). */
static void
write_field(FILE *out, const char *text)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

	fputs(quote, out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	fprintf(out, "%s,", quote);
}

static void
write_csv(const struct report_rows *rows, FILE *out)
{
	fputs("benchmark,transport,provider,path,bytes,median,p99,unit,"
	      "samples\n",
	      out);
	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *row = &rows->all[i];

		write_field(out, row->benchmark);
		write_field(out, row->transport);
		write_field(out, row->provider);
		write_field(out, row->path);
		fprintf(out, "%" PRIu64 ",%.6g,%.6g,%s,%zu\n", row->bytes,
			row->median, row->p99, row->unit, row->samples);
	}
}

static void
write_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			fprintf(out, "\\u%04x", *text);
		else
			fprintf(out,
				*text == '"' || *text == '\\' ? "\\%c" : "%c",
				*text);
	fputc('"', out);
}

static void
write_text(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\": ", name);
	write_quoted(out, text);
}

static void
write_machine(FILE *out)
{
	char line[256], *colon, *processor = NULL;
	FILE *file = fopen("/proc/cpuinfo", "re");
	struct utsname name;

	while (file && !processor && fgets(line, sizeof(line), file)) {
		colon = strchr(line, ':');
		if (colon && !strncmp(line, "model name", 10))
			processor = colon + 1 + strspn(colon + 1, " ");
	}
	if (file)
		fclose(file);
	if (processor)
		processor[strcspn(processor, "\n")] = '\0';
	uname(&name);
	fputs("  \"machine\": {", out);
	write_text(out, "kernel", name.release);
	fputs(", ", out);
	write_text(out, "processor", processor ? processor : name.machine);
	fprintf(out, ", \"processors\": %ld},\n",
		sysconf(_SC_NPROCESSORS_ONLN));
}

static void
write_row(FILE *out, const struct report_row *row)
{
	fputs("    {", out);
	write_text(out, "benchmark", row->benchmark);
	fputs(", ", out);
	write_text(out, "transport", row->transport);
	fputs(", ", out);
	write_text(out, "provider", row->provider);
	fputs(", ", out);
	write_text(out, "path", row->path);
	fprintf(out, ", \"bytes\": %" PRIu64 ", \"median\": %.6g", row->bytes,
		row->median);
	fprintf(out, ", \"p99\": %.6g, ", row->p99);
	write_text(out, "unit", row->unit);
	fprintf(out, ", \"samples\": %zu}", row->samples);
}

static void
write_json(const struct report *report, FILE *out)
{
	fprintf(out, "{\n  \"sateen_bench\": %d,\n  ", FORMAT);
	write_text(out, "sateen", PACKAGE_VERSION);
	fputs(",\n  ", out);
	write_text(out, "headline", report->headline ? report->headline : "");
	fputs(",\n  \"notes\": [", out);
	for (size_t i = 0; i < report->note_count; i++) {
		fputs(i ? ", " : "", out);
		write_quoted(out, report->notes[i]);
	}
	fputs("],\n", out);
	write_machine(out);
	fputs("  \"rows\": [\n", out);
	for (size_t i = 0; i < report->rows.count; i++) {
		fputs(i ? ",\n" : "", out);
		write_row(out, &report->rows.all[i]);
	}
	fputs("\n  ]\n}\n", out);
}

/* Closes a file. Fails if any write to it has failed. */
static bool
finish(FILE **file, const char *name, struct app_why *why)
{
	bool failed = ferror(*file);

	failed |= fclose(*file) != 0;
	*file = NULL;
	return failed ? app_because(why, "%s: can't be written", name) : true;
}

static bool
write_files(struct report *report, struct app_why *why)
{
	const char *title = report->headline ? report->headline : "";

	if (report->csv)
		write_csv(&report->rows, report->csv);
	if (report->json)
		write_json(report, report->json);
	if (report->csv && !finish(&report->csv, report->names.csv, why))
		return false;
	if (report->json && !finish(&report->json, report->names.json, why))
		return false;
	return !report->plot ||
	       plot_draw(&report->rows, title, report->names.plot, report->plot,
			 why);
}

bool
report_close(struct report *report, struct app_why *why)
{
	bool written;

	print_table(report);
	written = write_files(report, why);
	destroy(report);
	if (fflush(stdout))
		return app_because(why, "standard output: %s", strerror(errno));
	return written;
}
