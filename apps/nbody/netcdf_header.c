#include "apps/nbody/netcdf_header.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER_MOST (1 << 20) /* bytes */
#define LIST_MOST 1000	      /* dimensions, attributes, or variables */
#define NAME_MOST 256

/* Tags of lists. An empty list may have the tag 0. */
enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 };

/*
 * A header that is being read. After the first error, bad is true and all
 * numbers are 0.
 */
struct header {
	const unsigned char *bytes;
	uint64_t size, at;
	uint64_t file_size, records, record_bytes;
	uint64_t records_begin, records_end; /* where the first record is */
	uint64_t dims[LIST_MOST];
	uint64_t dims_count;
	int version;
	bool bad;
};

static uint64_t
take(struct header *header, unsigned bytes)
{
	uint64_t value = 0;

	if (header->bad || header->size - header->at < bytes) {
		header->bad = true;
		return 0;
	}
	while (bytes--)
		value = value << 8 | header->bytes[header->at++];
	return value;
}

/* A number that has 64 bits in CDF-5 only. */
static uint64_t
take_size(struct header *header)
{
	return take(header, header->version == 5 ? 8 : 4);
}

static void
skip(struct header *header, uint64_t bytes)
{
	if (header->bad || bytes > header->size ||
	    header->size - header->at < ((bytes + 3) & ~3ull))
		header->bad = true;
	else
		header->at += (bytes + 3) & ~3ull;
}

static void
skip_name(struct header *header)
{
	uint64_t bytes = take_size(header);

	header->bad |= bytes < 1 || bytes > NAME_MOST;
	skip(header, bytes);
}

/* The bytes of a number of this type, or 0. */
static uint64_t
bytes_of(const struct header *header, uint64_t type)
{
	static const unsigned char bytes[] = { 0, 1, 1, 2, 4, 4,
					       8, 1, 2, 4, 8, 8 };

	return type < (header->version == 5 ? 12 : 7) ? bytes[type] : 0;
}

/* How many entries a list has. */
static uint64_t
begin_list(struct header *header, uint64_t tag)
{
	uint64_t found = take(header, 4), count = take_size(header);

	if (count > LIST_MOST || (found != tag && (found || count)))
		header->bad = true;
	return header->bad ? 0 : count;
}

static void
skip_attributes(struct header *header)
{
	uint64_t count = begin_list(header, ATTRIBUTES);

	while (count-- && !header->bad) {
		uint64_t bytes, values;

		skip_name(header);
		bytes = bytes_of(header, take(header, 4));
		values = take_size(header);
		header->bad |= !bytes || values > HEADER_MOST;
		skip(header, values * bytes);
	}
}

/* The size 0 marks the dimension of records. */
static void
read_dimensions(struct header *header)
{
	uint64_t count = begin_list(header, DIMENSIONS);
	int endless = 0;

	for (uint64_t i = 0; i < count && !header->bad; i++) {
		skip_name(header);
		header->dims[i] = take_size(header);
		endless += !header->dims[i];
	}
	header->bad |= endless > 1;
	header->dims_count = count;
}

/*
 * Multiplies *@product_p, which was at most the size of the file, by the sizes
 * of a variable's dimensions. Returns whether it has records.
 */
static bool
read_shape(struct header *header, uint64_t *product_p)
{
	uint64_t count = take_size(header);
	bool records = false;

	header->bad |= count > LIST_MOST;
	for (uint64_t i = 0; i < count && !header->bad; i++) {
		uint64_t dim = take_size(header);

		if (header->bad || dim >= header->dims_count) {
			header->bad = true;
		} else if (!header->dims[dim]) {
			records = true;
			header->bad |= i > 0;
		} else if (__builtin_mul_overflow(*product_p, header->dims[dim],
						  product_p)) {
			header->bad = true;
		}
	}
	return records;
}

/* Checks that a variable is inside of the file. */
static void
read_variable(struct header *header)
{
	uint64_t bytes = 1, begin, type;
	bool records;

	skip_name(header);
	records = read_shape(header, &bytes);
	skip_attributes(header);
	type = bytes_of(header, take(header, 4));
	take_size(header); /* its size in bytes, which needn't be right */
	begin = take(header, header->version == 1 ? 4 : 8);
	header->bad |= !type;
	if (header->bad || (records && !header->records))
		return;
	if (bytes > header->file_size / type || begin > header->file_size) {
		header->bad = true;
		return;
	}
	bytes *= type;
	if (!records) {
		header->bad |= bytes > header->file_size - begin;
		return;
	}
	header->record_bytes += (bytes + 3) & ~3ull;
	if (begin < header->records_begin)
		header->records_begin = begin;
	if (begin + bytes > header->records_end)
		header->records_end = begin + bytes;
}

static void
read_variables(struct header *header)
{
	uint64_t count = begin_list(header, VARIABLES);

	while (count-- && !header->bad)
		read_variable(header);
}

/* The last record ends where the first one does, and all others further. */
static void
check_records(struct header *header)
{
	uint64_t gap = header->records ? header->records - 1 : 0, end;

	if (header->bad || !header->record_bytes || !header->records)
		return;
	header->bad |=
		__builtin_mul_overflow(gap, header->record_bytes, &end) ||
		__builtin_add_overflow(end, header->records_end, &end) ||
		end > header->file_size ||
		header->records_end - header->records_begin >
			header->record_bytes;
}

static void
read_header(struct header *header)
{
	take(header, 3);
	header->version = (int)take(header, 1);
	header->records = take_size(header);
	read_dimensions(header);
	skip_attributes(header);
	read_variables(header);
	check_records(header);
}

static bool
check(const char *path, struct header *header, struct app_why *why)
{
	const unsigned char *bytes = header->bytes;

	if (header->size < 4 || memcmp(bytes, "CDF", 3) ||
	    (bytes[3] != 1 && bytes[3] != 2 && bytes[3] != 5))
		return app_because(
			why, "%s: it is not in netCDF's classic format", path);
	read_header(header);
	return !header->bad ||
	       app_because(why, "%s: it is cut off or damaged", path);
}

/* Reads the beginning of a file. Returns false with the reason in @why. */
static bool
load(const char *path, unsigned char *bytes, uint64_t *size_p,
     struct app_why *why)
{
	FILE *file = fopen(path, "rbe");
	bool good;

	if (!file)
		return app_because(why, "%s: %s", path, strerror(errno));
	*size_p = fread(bytes, 1, HEADER_MOST, file);
	good = !ferror(file) ||
	       app_because(why, "%s: %s", path, strerror(errno));
	fclose(file);
	return good;
}

bool
netcdf_header_check(const char *path, struct app_why *why)
{
	struct header header = { .records_begin = UINT64_MAX };
	unsigned char *bytes;
	struct stat stat_;
	bool good;

	/* Opening a pipe would wait for a writer. */
	if (stat(path, &stat_))
		return app_because(why, "%s: %s", path, strerror(errno));
	if (!S_ISREG(stat_.st_mode))
		return app_because(why, "%s: it is not a regular file", path);
	bytes = malloc(HEADER_MOST);
	if (!bytes)
		return app_because(why, "%s: out of memory", path);
	header.file_size = (uint64_t)stat_.st_size;
	header.bytes = bytes;
	good = load(path, bytes, &header.size, why) &&
	       check(path, &header, why);
	free(bytes);
	return good;
}
