#include "transport/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit durations[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 },
};

static const struct unit sizes[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "KB", 1e3 },
	{ "MB", 1e6 },
	{ "GB", 1e9 },
	{ "KiB", 1024.0 },
	{ "MiB", 1048576.0 },
	{ "GiB", 1073741824.0 },
	{ NULL, 0 },
};

static const struct unit rates[] = {
	{ "B/s", 1 },	 { "KB/s", 1e3 }, { "MB/s", 1e6 },
	{ "GB/s", 1e9 }, { NULL, 0 },
};

/* In millionths. */
static const struct unit shares[] = { { "%", 1e4 }, { NULL, 0 } };

double
stn_parse_real(const char *text, char **end_p)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
	double value = strtod_l(text, end_p, plain);

	freelocale(plain);
	return value;
}

/*
 * Skips a decimal number. strtod would also accept a sign, an exponent,
 * hexadecimal digits and "inf".
 */
static const char *
skip_number(const char *text)
{
	while (isdigit((unsigned char)*text))
		text++;
	if (*text == '.')
		text++;
	while (isdigit((unsigned char)*text))
		text++;
	return text;
}

static enum stn_err
parse(const char *text, const struct unit *units, uint64_t *value_p)
{
	const char *unit = skip_number(text);
	double number;

	if (!isdigit((unsigned char)*text))
		return STN_INVALID;
	number = stn_parse_real(text, NULL);
	if (!*unit && number == 0) {
		*value_p = 0;
		return STN_OK;
	}
	for (; units->name; units++) {
		if (strcmp(unit, units->name))
			continue;
		number = rint(number * units->factor);
		if (!(number < 0x1p63))
			return STN_INVALID;
		*value_p = (uint64_t)number;
		return STN_OK;
	}
	return STN_INVALID;
}

enum stn_err
stn_parse_count(const char *text, uint64_t least, uint64_t most,
		uint64_t *value_p)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return STN_INVALID;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value < least || value > most)
		return STN_INVALID;
	*value_p = value;
	return STN_OK;
}

enum stn_err
stn_parse_duration(const char *text, uint64_t *value_p)
{
	return parse(text, durations, value_p);
}

enum stn_err
stn_parse_bytes(const char *text, uint64_t *value_p)
{
	return parse(text, sizes, value_p);
}

/*
 * Copies the word before the next comma to @word, and advances *at, to NULL
 * after the last word. False if there is no word, or it is too long.
 */
static bool
take_word(const char **at, char word[32])
{
	size_t length = *at ? strcspn(*at, ",") : 32;

	if (length >= 32)
		return false;
	memcpy(word, *at, length);
	word[length] = '\0';
	*at = (*at)[length] ? *at + length + 1 : NULL;
	return true;
}

static enum stn_err
parse_rate(const char *text, uint64_t *value_p)
{
	if (parse(text, rates, value_p) || !*value_p)
		return STN_INVALID;
	return STN_OK;
}

static enum stn_err
parse_loss(const char *text, uint64_t *ppm_p)
{
	uint64_t ppm;

	if (parse(text, shares, &ppm) || ppm >= 1000000)
		return STN_INVALID;
	*ppm_p = ppm;
	return STN_OK;
}

enum stn_err
stn_parse_link(const char *text, struct stn_link *link_p)
{
	struct stn_link link = { 0 };
	char word[32];

	if (!strcmp(text, "none")) {
		*link_p = link;
		return STN_OK;
	}
	if (!take_word(&text, word) || parse(word, durations, &link.latency_ns))
		return STN_INVALID;
	if (text &&
	    (!take_word(&text, word) || (parse_rate(word, &link.bytes_per_s) &&
					 (strcmp(word, "none") || !text))))
		return STN_INVALID;
	if (text && (!take_word(&text, word) ||
		     parse(word, durations, &link.jitter_ns)))
		return STN_INVALID;
	if (text && (!take_word(&text, word) || text ||
		     parse_loss(word, &link.loss_ppm)))
		return STN_INVALID;
	*link_p = link;
	return STN_OK;
}

void
stn_print_link(const struct stn_link *link, char text[STN_LINK_BYTES])
{
	char rate[32] = "none";

	if (link->bytes_per_s)
		snprintf(rate, sizeof(rate), "%" PRIu64 "B/s",
			 link->bytes_per_s);
	if (link->loss_ppm)
		snprintf(text, STN_LINK_BYTES,
			 "%" PRIu64 "ns,%s,%" PRIu64 "ns,%" PRIu64 ".%04" PRIu64
			 "%%",
			 link->latency_ns, rate, link->jitter_ns,
			 link->loss_ppm / 10000, link->loss_ppm % 10000);
	else if (link->jitter_ns)
		snprintf(text, STN_LINK_BYTES, "%" PRIu64 "ns,%s,%" PRIu64 "ns",
			 link->latency_ns, rate, link->jitter_ns);
	else if (link->bytes_per_s)
		snprintf(text, STN_LINK_BYTES, "%" PRIu64 "ns,%s",
			 link->latency_ns, rate);
	else
		snprintf(text, STN_LINK_BYTES, "%" PRIu64 "ns",
			 link->latency_ns);
}
