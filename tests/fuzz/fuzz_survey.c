/*
 * fuzz_survey.c: any bytes are either read as a node's survey, which gives the
 * same card when written again, or rejected with a message of one line.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "launch/survey/survey.h"

#define VERSION 3

static void
require_same(const struct stn_survey *survey)
{
	struct stn_survey again;
	size_t size;
	unsigned char *bytes = stn_survey_write(survey, VERSION, &size);
	const struct stn_card card = { bytes, size };

	memset(&again, 0, sizeof(again)); /* the padding, too */
	require(bytes && !stn_survey_read(&card, 3, VERSION, &again, NULL) &&
		!memcmp(survey, &again, sizeof(again)));
	free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct stn_card card = { data, size };
	struct stn_why why = { "" };
	struct stn_survey survey;

	memset(&survey, 0, sizeof(survey));
	if (stn_survey_read(&card, 3, VERSION, &survey, &why))
		require(*why.text && !strchr(why.text, '\n'));
	else
		require_same(&survey);
	return 0;
}
