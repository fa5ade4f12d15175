/*
 * fuzz_main.c: runs a fuzz target without libFuzzer: on each file of its
 * corpora, then on mutations of these files. Every run makes the same
 * mutations.
 *
 *	fuzz_x directory or file...
 *	FUZZ_RUNS	number of mutations, 20000
 *	FUZZ_SECONDS	seconds after which no more begin, 5
 *	FUZZ_SEED	seed of the mutations, 1
 *	FUZZ_KEEP	a file to which each input is written before it runs
 *
 * After a crash the plan is missing.
 */
#include <dirent.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/fuzz/fuzz.h"
#include "tests/tap.h"

#define MOST_BYTES 65536 /* of an input */
#define MOST_FILES 1024

struct input {
	uint8_t *bytes;
	size_t size;
};

static struct input corpus[MOST_FILES];
static size_t corpus_count;
static uint64_t random_state;

/* splitmix64, by Sebastiano Vigna; a number from 0 to below - 1. */
static uint64_t
draw(uint64_t below)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) % below;
}

static unsigned long
setting(const char *name, unsigned long preset)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : preset;
}

/*
 * Runs the target on a copy of exactly @size bytes, so that sanitizers see
 * every access beyond.
 */
static void
run(const uint8_t *bytes, size_t size)
{
	const char *keep = getenv("FUZZ_KEEP");
	uint8_t *exact = malloc(size ? size : 1);
	FILE *file = keep ? fopen(keep, "wb") : NULL;

	if (!exact)
		abort();
	if (size)
		memcpy(exact, bytes, size);
	if (file) {
		fwrite(exact, 1, size, file);
		fclose(file);
	}
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static size_t
flip_bits(uint8_t *bytes, size_t size)
{
	for (uint64_t i = draw(8); size && i < 8; i++)
		bytes[draw(size)] ^= (uint8_t)(1 << draw(8));
	return size;
}

static size_t
truncate_some(uint8_t *bytes, size_t size)
{
	(void)bytes;
	return size ? draw(size) : 0;
}

/* Numbers at the edges of a type's range find the most errors. */
static size_t
set_number(uint8_t *bytes, size_t size)
{
	static const uint64_t edges[] = { 0,	      1,	  127,
					  128,	      255,	  256,
					  65535,      65536,	  INT32_MAX,
					  UINT32_MAX, INT64_MAX,  UINT64_MAX,
					  1ull << 63, 1ull << 46, 1ull << 32 };
	uint64_t edge = edges[draw(sizeof(edges) / sizeof(edges[0]))];
	size_t length = (size_t)1 << draw(4);

	if (size >= length)
		memcpy(bytes + draw(size - length + 1), &edge, length);
	return size;
}

static size_t
set_bytes(uint8_t *bytes, size_t size)
{
	for (uint64_t i = draw(4); size && i < 4; i++)
		bytes[draw(size)] = (uint8_t)draw(256);
	return size;
}

static size_t
insert_bytes(uint8_t *bytes, size_t size)
{
	size_t at = draw(size + 1), length = 1 + draw(16);

	if (size + length > MOST_BYTES)
		return size;
	memmove(bytes + at + length, bytes + at, size - at);
	for (size_t i = 0; i < length; i++)
		bytes[at + i] = (uint8_t)draw(256);
	return size + length;
}

static size_t
remove_bytes(uint8_t *bytes, size_t size)
{
	size_t at = draw(size + 1), length = draw(size - at + 1);

	memmove(bytes + at, bytes + at + length, size - at - length);
	return size - length;
}

/* Overwrites the end, from a random place, with the end of another input. */
static size_t
splice(uint8_t *bytes, size_t size)
{
	const struct input *other = &corpus[draw(corpus_count)];
	size_t at = draw(size + 1), from = draw(other->size + 1);
	size_t length = other->size - from;

	if (at + length > MOST_BYTES)
		length = MOST_BYTES - at;
	if (length)
		memcpy(bytes + at, other->bytes + from, length);
	return at + length;
}

static size_t (*const mutations[])(uint8_t *, size_t) = {
	flip_bits,    truncate_some, set_number, set_bytes,
	insert_bytes, remove_bytes,  splice,
};

#define MUTATIONS (sizeof(mutations) / sizeof(mutations[0]))

/* Runs a random input of the corpus after one to four mutations. */
static void
run_mutated(void)
{
	static uint8_t bytes[MOST_BYTES];
	const struct input *input = &corpus[draw(corpus_count)];
	size_t size = input->size;

	if (size)
		memcpy(bytes, input->bytes, size);
	for (uint64_t i = draw(4); i < 4; i++)
		size = mutations[draw(MUTATIONS)](bytes, size);
	run(bytes, size);
}

static bool
read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct input *input = &corpus[corpus_count];

	if (!file || corpus_count == MOST_FILES) {
		if (file)
			fclose(file);
		return false;
	}
	input->bytes = malloc(MOST_BYTES);
	if (!input->bytes)
		abort();
	input->size = fread(input->bytes, 1, MOST_BYTES, file);
	fclose(file);
	corpus_count++;
	return true;
}

static int
visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Reads a file, or all files of a directory in the order of their names. */
static bool
read_corpus(const char *path)
{
	struct dirent **names;
	struct stat status;
	bool right = true;
	int count;

	if (stat(path, &status) || !S_ISDIR(status.st_mode))
		return read_file(path);
	count = scandir(path, &names, visible, alphasort);
	for (int i = 0; i < count; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		right = read_file(file) && right;
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return right && count > 0;
}

static void
forget_corpus(void)
{
	while (corpus_count)
		free(corpus[--corpus_count].bytes);
}

static void
fuzz(unsigned long seconds)
{
	unsigned long runs = setting("FUZZ_RUNS", 20000), i;
	time_t end = time(NULL) + (time_t)seconds;

	random_state = setting("FUZZ_SEED", 1);
	for (size_t j = 0; j < corpus_count; j++)
		run(corpus[j].bytes, corpus[j].size);
	run(NULL, 0);
	for (i = 0; i < runs && time(NULL) < end; i++)
		run_mutated();
	tap_ok(true,
	       "%zu inputs and %lu mutations of them run without an error",
	       corpus_count, i);
}

int
main(int argc, char **argv)
{
	unsigned long seconds = setting("FUZZ_SECONDS", 5);
	bool right = argc > 1;

	tap_begin();
	alarm(tap_seconds() + (unsigned)seconds);
	for (int i = 1; i < argc; i++)
		right = tap_ok(read_corpus(argv[i]),
			       "a corpus can be read from %s", argv[i]) &&
			right;
	if (right)
		fuzz(seconds);
	forget_corpus();
	return tap_end();
}
