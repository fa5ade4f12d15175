/*
 * routes_name.c: splits the names and parses the addresses of several routes.
 */
#include <string.h>

#include "transport/routes.h"

size_t
stn_routes_split(const char *name,
		 char names[STN_ROUTES_MOST][STN_ROUTES_NAME_BYTES])
{
	size_t count = 0;

	for (const char *at = name;; at++) {
		size_t length = strcspn(at, "+");

		if (count == STN_ROUTES_MOST || !length ||
		    length >= STN_ROUTES_NAME_BYTES)
			return 0;
		memcpy(names[count], at, length);
		names[count++][length] = '\0';
		at += length;
		if (!*at)
			return count;
	}
}

/* Parses the address of one route. Returns its size, or 0: malformed. */
static size_t
parse_part(const unsigned char *bytes, size_t size,
	   struct stn_routes_part *part)
{
	size_t name = size ? bytes[0] : 0;

	if (!name || name >= STN_ROUTES_NAME_BYTES || size < name + 3 ||
	    memchr(bytes + 1, '\0', name))
		return 0;
	memset(part->name, 0, sizeof(part->name));
	memcpy(part->name, bytes + 1, name);
	bytes += 1 + name;
	size -= 3 + name;
	part->size = bytes[0] | (size_t)bytes[1] << 8;
	part->bytes = bytes + 2;
	return part->size <= size ? 3 + name + part->size : 0;
}

bool
stn_routes_parse(const unsigned char *bytes, size_t size,
		 struct stn_routes_address *address)
{
	for (address->count = 0; size; address->count++) {
		size_t part;

		if (address->count == STN_ROUTES_MOST)
			return false;
		part = parse_part(bytes, size, &address->parts[address->count]);
		if (!part)
			return false;
		bytes += part;
		size -= part;
	}
	return address->count;
}

const struct stn_routes_part *
stn_routes_part(const struct stn_routes_address *address, const char *name)
{
	for (size_t i = 0; i < address->count; i++)
		if (!strcmp(address->parts[i].name, name))
			return &address->parts[i];
	return NULL;
}
