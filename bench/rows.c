#include "bench/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
rows_add(const char *verdict, const char *format, ...)
{
	const char *name = getenv("BENCH_ROWS");
	FILE *file = name ? fopen(name, "ae") : NULL;
	va_list list;

	if (!file)
		return;
	fputs("row\t", file);
	va_start(list, format);
	vfprintf(file, format, list);
	va_end(list);
	fprintf(file, "\t%s\n", verdict);
	fclose(file);
}
