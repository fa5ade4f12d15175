#include "launch/gateway/trunk.h"

#include <endian.h>
#include <string.h>

#define NODES_MOST 1000000 /* of a cluster */

bool
stn_name_good(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789._-");

	return length && length < STN_NAME_BYTES && !name[length];
}

size_t
stn_trunk_hello_write(unsigned char bytes[STN_TRUNK_HELLO_BYTES],
		      const struct stn_trunk_hello *hello)
{
	uint32_t numbers[] = { htole32(hello->version),
			       htole32(hello->clusters) };
	unsigned char *at = mempcpy(bytes, numbers, sizeof(numbers));

	at = mempcpy(at, hello->run, strlen(hello->run) + 1);
	at = mempcpy(at, hello->cluster, strlen(hello->cluster) + 1);
	return (size_t)(at - bytes);
}

/* Takes a name with its zero byte off the front of @size bytes. */
static bool
take_name(const unsigned char **bytes, size_t *size, char name[STN_NAME_BYTES])
{
	const unsigned char *end = *size ? memchr(*bytes, '\0', *size) : NULL;
	size_t length = end ? (size_t)(end - *bytes) + 1 : 0;

	if (!length || length > STN_NAME_BYTES)
		return false;
	memcpy(name, *bytes, length);
	*bytes += length;
	*size -= length;
	return stn_name_good(name);
}

enum stn_err
stn_trunk_hello_read(const unsigned char *bytes, size_t size,
		     struct stn_trunk_hello *hello)
{
	uint32_t numbers[2];

	memset(hello, 0, sizeof(*hello));
	if (size < sizeof(numbers))
		return STN_MALFORMED;
	memcpy(numbers, bytes, sizeof(numbers));
	hello->version = le32toh(numbers[0]);
	hello->clusters = le32toh(numbers[1]);
	bytes += sizeof(numbers);
	size -= sizeof(numbers);
	if (!take_name(&bytes, &size, hello->run) ||
	    !take_name(&bytes, &size, hello->cluster) || size)
		return STN_MALFORMED;
	return STN_OK;
}

void
stn_trunk_number_write(unsigned char bytes[4], uint32_t number)
{
	number = htole32(number);
	memcpy(bytes, &number, sizeof(number));
}

bool
stn_trunk_number_read(const unsigned char *bytes, size_t size,
		      uint32_t *number_p)
{
	uint32_t number;

	if (size != sizeof(number))
		return false;
	memcpy(&number, bytes, sizeof(number));
	*number_p = le32toh(number);
	return true;
}

void
stn_trunk_size_write(unsigned char bytes[4], uint32_t size)
{
	stn_trunk_number_write(bytes, size);
}

enum stn_err
stn_trunk_size_read(const unsigned char *bytes, size_t size, uint32_t *size_p)
{
	uint32_t number;

	if (!stn_trunk_number_read(bytes, size, &number) || !number ||
	    number > NODES_MOST)
		return STN_MALFORMED;
	*size_p = number;
	return STN_OK;
}
