#include "parts/files/classic.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A header that is being read. After the first error, bad is true and all
 * numbers that are read later are 0. The record dimension has size 0.
 */
struct header {
	FILE *file;
	uint64_t size, at; /* bytes of the file, and those that were read */
	uint64_t records, *dims, dims_count;
	int version;
	bool bad;
};

/* Where the points of a variable are; of a record variable: its first record. */
struct extent {
	uint64_t begin, bytes;
	bool records;
};

static uint64_t
take(struct header *header, unsigned bytes)
{
	uint64_t value = 0;

	header->bad |= header->size - header->at < bytes;
	for (; bytes && !header->bad; bytes--) {
		int byte = getc(header->file);

		header->bad |= byte == EOF;
		value = value << 8 | (unsigned char)byte;
		header->at++;
	}
	return header->bad ? 0 : value;
}

/* A number that has 64 bits in CDF-5 only. */
static uint64_t
take_count(struct header *header)
{
	return take(header, header->version == 5 ? 8 : 4);
}

static void
multiply(struct header *header, uint64_t *product_p, uint64_t factor)
{
	header->bad |= __builtin_mul_overflow(*product_p, factor, product_p);
}

static void
add(struct header *header, uint64_t *sum_p, uint64_t summand)
{
	header->bad |= __builtin_add_overflow(*sum_p, summand, sum_p);
}

static uint64_t
with_padding(uint64_t bytes)
{
	return (bytes + 3) & ~UINT64_C(3);
}

static void
skip(struct header *header, uint64_t bytes)
{
	header->bad |= bytes > header->size ||
		       with_padding(bytes) > header->size - header->at;
	if (header->bad)
		return;
	header->at += with_padding(bytes);
	header->bad |= fseeko(header->file, (off_t)header->at, SEEK_SET) != 0;
}

static uint64_t
take_type(struct header *header)
{
	static const unsigned char bytes[] = { 0, 1, 1, 2, 4, 4,
					       8, 1, 2, 4, 8, 8 };
	uint64_t type = take(header, 4);

	header->bad |= type < 1 || type >= sizeof(bytes);
	return header->bad ? 0 : bytes[type];
}

/* How many entries a list has. Each is longer than 8 bytes. */
static uint64_t
begin_list(struct header *header)
{
	uint64_t count;

	take(header, 4); /* the tag, which the library has checked */
	count = take_count(header);
	header->bad |= count > (header->size - header->at) / 8;
	return header->bad ? 0 : count;
}

static void
skip_attributes(struct header *header)
{
	uint64_t count = begin_list(header);

	while (count-- && !header->bad) {
		uint64_t bytes;

		skip(header, take_count(header)); /* the name */
		bytes = take_type(header);
		multiply(header, &bytes, take_count(header));
		skip(header, bytes);
	}
}

static void
read_dimensions(struct header *header)
{
	header->dims_count = begin_list(header);
	header->dims = calloc(header->dims_count + 1, sizeof(*header->dims));
	header->bad |= !header->dims;
	for (uint64_t i = 0; i < header->dims_count && !header->bad; i++) {
		skip(header, take_count(header)); /* the name */
		header->dims[i] = take_count(header);
	}
}

static struct extent
read_extent(struct header *header)
{
	struct extent extent = { .bytes = 1 };
	uint64_t count;

	skip(header, take_count(header)); /* the name */
	count = take_count(header);
	while (count-- && !header->bad) {
		uint64_t dim = take_count(header);

		header->bad |= dim >= header->dims_count;
		if (header->bad)
			break;
		if (header->dims[dim])
			multiply(header, &extent.bytes, header->dims[dim]);
		else
			extent.records = true;
	}
	skip_attributes(header);
	multiply(header, &extent.bytes, take_type(header));
	header->bad |= extent.bytes > UINT64_MAX - 3; /* for with_padding */
	take_count(header); /* the size in bytes, which may be wrong */
	extent.begin = take(header, header->version == 1 ? 4 : 8);
	return extent;
}

/*
 * Record n of all variables that have records comes before record n + 1 of all
 * of them. The records of a single variable are not padded.
 */
static bool
is_complete(struct header *header, uint64_t variable)
{
	struct extent found = { 0 };
	uint64_t count, others = 0, end;

	read_dimensions(header);
	skip_attributes(header);
	count = begin_list(header);
	header->bad |= variable >= count;
	for (uint64_t i = 0; i < count && !header->bad; i++) {
		struct extent extent = read_extent(header);

		if (i == variable)
			found = extent;
		else if (extent.records)
			add(header, &others, with_padding(extent.bytes));
	}
	end = found.records ? header->records : 1;
	if (end) {
		uint64_t stride = others;

		add(header, &stride,
		    others ? with_padding(found.bytes) : found.bytes);
		end--;
		multiply(header, &end, stride);
		add(header, &end, found.bytes);
	}
	add(header, &end, found.begin);
	return !header->bad && end <= header->size;
}

static bool
begin_header(struct header *header, FILE *file)
{
	off_t size = fseeko(file, 0, SEEK_END) ? -1 : ftello(file);
	unsigned char magic[4];

	if (size < 0 || fseeko(file, 0, SEEK_SET) ||
	    fread(magic, sizeof(magic), 1, file) != 1 ||
	    memcmp(magic, "CDF", 3))
		return false;
	*header = (struct header){ .file = file,
				   .size = (uint64_t)size,
				   .at = sizeof(magic),
				   .version = magic[3] };
	header->records = take_count(header);
	return true;
}

enum stn_err
stn_classic_check(const char *path, int variable, struct stn_why *why)
{
	FILE *file = fopen(path, "rbe");
	struct header header;
	bool complete = true;

	if (!file)
		return STN_OK; /* a URL, which the library has opened */
	if (begin_header(&header, file)) {
		complete = is_complete(&header, (uint64_t)variable);
		free(header.dims);
	}
	fclose(file);
	if (complete)
		return STN_OK;
	return stn_because(why, STN_INVALID, "%s: it is cut off or damaged",
			   path);
}
