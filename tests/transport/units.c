#include <locale.h>
#include <string.h>

#include "tests/tap.h"
#include "transport/units.h"

struct good {
	const char *text;
	uint64_t value;
};

static const struct good durations[] = {
	{ "0", 0 },
	{ "0.0", 0 },
	{ "5ns", 5 },
	{ "20us", 20000 },
	{ "100ms", 100000000 },
	{ "1.5s", 1500000000 },
	{ "0.25us", 250 },
	{ "007ms", 7000000 },
	{ "9000000000s", 9000000000000000000ull },
	{ NULL, 0 },
};

static const struct good sizes[] = {
	{ "512", 512 },
	{ "0", 0 },
	{ "1B", 1 },
	{ "100KB", 100000 },
	{ "3MB", 3000000 },
	{ "2GB", 2000000000 },
	{ "1KiB", 1024 },
	{ "64MiB", 67108864 },
	{ "1.5GiB", 1610612736 },
	{ "0.5KiB", 512 },
	{ NULL, 0 },
};

/* Refused by all parsers, for the number or for the unit. */
static const char *const bad[] = {
	"",	 "ms",	  "-1",		  "-1ms",
	"+1ms",	 " 1ms",  "1 ms",	  "1ms ",
	"1e5ms", "1e3",	  "0x10",	  "0x10s",
	"nan",	 "inf",	  "infs",	  "nanms",
	"1mss",	 "1MS",	  "1.2.3s",	  ".5s",
	"1,5s",	 "1ms,1", "1kb",	  "1KB/s",
	"1m",	 "1msB",  "10000000000s", "99999999999999999999999999GB",
	"1sms",	 "--1s",  "1-s",	  "s1",
	"1/",	 NULL,
};

typedef enum stn_err parser(const char *text, uint64_t *value_p);

static void
accepts(parser *parse, const char *what, const struct good *good)
{
	for (; good->text; good++) {
		uint64_t value = 1234567;
		enum stn_err err = parse(good->text, &value);

		tap_ok(!err && value == good->value, "%s \"%s\" is %llu", what,
		       good->text, (unsigned long long)good->value);
	}
}

static void
refuses(parser *parse, const char *what, const char *const *text)
{
	for (; *text; text++) {
		uint64_t value = 1234567;
		enum stn_err err = parse(*text, &value);

		tap_ok(err == STN_INVALID && value == 1234567,
		       "\"%s\" is no %s", *text, what);
	}
}

static void
test_endless(void)
{
	char text[5000];
	uint64_t value = 7;

	memset(text, '9', sizeof(text));
	text[sizeof(text) - 2] = 's';
	text[sizeof(text) - 1] = '\0';
	tap_ok(stn_parse_duration(text, &value) == STN_INVALID && value == 7,
	       "a number larger than any double is refused");
	memset(text, '0', sizeof(text) - 3);
	tap_ok(!stn_parse_duration(text, &value) && value == 9000000000,
	       "leading zeros are ignored");
}

static void
test_units_alone(void)
{
	uint64_t value = 7;

	tap_ok(stn_parse_duration("5", &value) == STN_INVALID &&
		       stn_parse_duration("5KB", &value) == STN_INVALID &&
		       value == 7,
	       "a duration needs a unit of time");
	tap_ok(stn_parse_duration("5s\n", &value) == STN_INVALID &&
		       stn_parse_bytes("5\n", &value) == STN_INVALID &&
		       stn_parse_bytes("\xff", &value) == STN_INVALID,
	       "bytes that can't be printed are refused");
	tap_ok(stn_parse_bytes("5s", &value) == STN_INVALID &&
		       stn_parse_bytes("5MiBs", &value) == STN_INVALID &&
		       value == 7,
	       "a size has no unit of time");
}

static void
test_counts(void)
{
	uint64_t value = 7;

	tap_ok(!stn_parse_count("16", 1, 16, &value) && value == 16,
	       "a count may be the largest one allowed");
	tap_ok(!stn_parse_count("3", 3, 9, &value) && value == 3,
	       "and the smallest one");
	tap_ok(!stn_parse_count("18446744073709551615", 0, UINT64_MAX,
				&value) &&
		       value == UINT64_MAX,
	       "the largest count is read exactly");
	value = 7;
	tap_ok(stn_parse_count("17", 1, 16, &value) == STN_INVALID &&
		       stn_parse_count("0", 1, 16, &value) == STN_INVALID,
	       "counts out of range are refused");
	tap_ok(stn_parse_count("18446744073709551616", 0, UINT64_MAX, &value) ==
		       STN_INVALID,
	       "and so is a count of more than 64 bits");
	for (const char *const *text = bad; *text; text++)
		tap_ok(stn_parse_count(*text, 0, UINT64_MAX, &value) ==
			       STN_INVALID,
		       "\"%s\" is no count", *text);
	tap_ok(value == 7, "a refused text sets no value");
}

static bool
same(struct stn_link one, struct stn_link other)
{
	return one.latency_ns == other.latency_ns &&
	       one.bytes_per_s == other.bytes_per_s &&
	       one.jitter_ns == other.jitter_ns &&
	       one.loss_ppm == other.loss_ppm;
}

static bool
is_link(const char *text, uint64_t latency_ns, uint64_t bytes_per_s,
	uint64_t jitter_ns, uint64_t loss_ppm)
{
	struct stn_link link = { 1, 2, 3, 4 }, again = { 1, 2, 3, 4 };
	struct stn_link wanted = { latency_ns, bytes_per_s, jitter_ns,
				   loss_ppm };
	char printed[STN_LINK_BYTES];

	if (stn_parse_link(text, &link))
		return false;
	stn_print_link(&link, printed);
	return !stn_parse_link(printed, &again) && same(link, again) &&
	       same(link, wanted);
}

static void
test_links(void)
{
	static const char *const wrong[] = {
		"",
		",",
		"100KB/s",
		"ms,100KB/s",
		"1ms,",
		"1ms,0B/s",
		"1ms,0",
		"1ms,100KB",
		"1ms,100",
		"1ms,1MB/s,",
		"1ms,none",
		"1ms,none,",
		"1ms,none,1",
		"1ms,1MB/s,1ms,1ms",
		"1ms,1MB/s,1ms,",
		"1ms,1MB/s,1ms,2%,",
		"1ms,1MB/s,1ms,2%,2%",
		"1ms,1MB/s,1ms,100%",
		"1ms,1MB/s,1ms,-1%",
		"1ms,1MB/s,1ms,1",
		"1ms,1MB/s,2%",
		"2%",
		"1ms,1MB/s,-1ms",
		"1ms,,1ms",
		"none,none,1ms",
		"1ms,1MB/s,none",
		"1ms,,1MB/s",
		"1ms, 1MB/s",
		"-1ms,1MB/s",
		"1ms,-1MB/s",
		"1ms,nan",
		"inf,inf",
		"none,1MB/s",
		"None",
		"1ms;1MB/s",
		"1ms,0.1B/s",
		"1KB/s,1ms",
		"1ms,1MiB/s",
		"1e5ms",
		"1ms,1e3B/s",
		"000000000000000000000000000000000000000001ms",
		NULL,
	};

	tap_ok(is_link("none", 0, 0, 0, 0), "\"none\" is no delay");
	tap_ok(is_link("100ms,100KB/s", 100000000, 100000, 0, 0),
	       "\"100ms,100KB/s\" is a latency and a rate");
	tap_ok(is_link("10ms", 10000000, 0, 0, 0),
	       "a latency alone is one of unlimited bandwidth");
	tap_ok(is_link("0,1.5GB/s", 0, 1500000000, 0, 0), "a latency may be 0");
	tap_ok(is_link("20ms,1MB/s,1.5ms", 20000000, 1000000, 1500000, 0),
	       "a third number is a jitter");
	tap_ok(is_link("20ms,none,3us", 20000000, 0, 3000, 0),
	       "a jitter doesn't need a rate");
	tap_ok(is_link("0,none,1ns", 0, 0, 1, 0), "nor a latency");
	tap_ok(is_link("20ms,1MB/s,0s,12.25%", 20000000, 1000000, 0, 122500),
	       "a fourth number is a loss");
	tap_ok(is_link("0,none,0,0.0001%", 0, 0, 0, 1) &&
		       is_link("1ms,none,0,0%", 1000000, 0, 0, 0) &&
		       is_link("1ms,none,0,99.9999%", 1000000, 0, 0, 999999),
	       "a loss is at least 0 %% and less than 100 %%");
	for (const char *const *text = wrong; *text; text++) {
		const struct stn_link before = { 1, 2, 3, 4 };
		struct stn_link link = before;

		tap_ok(stn_parse_link(*text, &link) == STN_INVALID &&
			       same(link, before),
		       "\"%s\" is no link", *text);
	}
}

/* Makes a locale in @directory, and sets it. */
static bool
set_decimal_comma(const char *directory)
{
	char command[200];

	snprintf(command, sizeof(command),
		 "localedef -i de_DE -f UTF-8 %s/comma >%s/log 2>&1", directory,
		 directory);
	return !setenv("LOCPATH", directory, 1) && system(command) >= 0 &&
	       setlocale(LC_NUMERIC, "comma") && strtod("1,5", NULL) > 1;
}

static void
test_locale(void)
{
	char directory[] = "/tmp/units.XXXXXX", command[100];
	uint64_t value = 0;

	if (mkdtemp(directory) && set_decimal_comma(directory))
		tap_ok(!stn_parse_duration("1.5ms", &value) &&
			       value == 1500000 &&
			       stn_parse_duration("1,5ms", &value),
		       "the decimal point is no matter of the locale");
	else
		tap_skip("a locale with decimal commas", "localedef, de_DE");
	setlocale(LC_NUMERIC, "C");
	unsetenv("LOCPATH");
	snprintf(command, sizeof(command), "rm -r %s", directory);
	if (system(command))
		printf("# %s is left\n", directory);
}

int
main(void)
{
	tap_begin();
	accepts(stn_parse_duration, "duration", durations);
	refuses(stn_parse_duration, "duration", bad);
	accepts(stn_parse_bytes, "size", sizes);
	refuses(stn_parse_bytes, "size", bad);
	test_units_alone();
	test_endless();
	test_counts();
	test_links();
	test_locale();
	return tap_end();
}
