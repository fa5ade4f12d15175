/*
 * fuzz_metrics.c: arbitrary bytes are the metrics of a run, or the answer of an
 * HTTP server that has them, or `sateen top` refuses them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sateen/top/fetch.h"
#include "apps/sateen/top/table.h"
#include "tests/fuzz/fuzz.h"

static void
check_run(const struct top_run *run)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	require(*run->program && memchr(run->program, '\0', TOP_NAME));
	require(run->count <= TOP_NODES_MOST && isfinite(run->seconds));
	for (size_t i = 0; i < run->count; i++)
		require(top_find(run, run->list[i].rank) == &run->list[i]);
	require(out);
	top_print(run, NULL, out);
	top_print(run, run, out);
	fclose(out);
	require(memchr(text, '\n', size));
	free(text);
}

static void
check_text(const char *text, size_t size)
{
	struct top_run run;

	if (top_read(&run, text, size))
		check_run(&run);
	top_fini(&run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size + !size); /* so that reads beyond show */
	const char *page;
	size_t page_bytes;

	require(bytes);
	memcpy(bytes, data, size);
	check_text(bytes, size);
	if (top_page(bytes, size, &page, &page_bytes)) {
		require(page > bytes && page + page_bytes == bytes + size);
		check_text(page, page_bytes);
	}
	free(bytes);
	return 0;
}
