/*
 * fuzz_report.c: an arbitrary file is either refused as a trace, or becomes a
 * page.
 */
#include <stdio.h>

#include "apps/sateen/report/page.h"
#include "tests/fuzz/fuzz.h"

static void
check_page(const struct run *run)
{
	struct profile profile;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	require(out && profile_make(run, &profile));
	require(profile.all.works <= profile.all.all * 1.000001 + 1);
	page_write(run, &profile, out);
	profile_fini(&profile);
	require(!fclose(out) && bytes);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;
	struct run run;

	if (!file)
		return 0;
	if (!run_read(file, &run))
		check_page(&run);
	run_fini(&run);
	fclose(file);
	return 0;
}
