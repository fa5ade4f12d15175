#include "launch/run/echo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, by one byte. A hash of nothing is 0, as in an empty echo. */
static uint64_t
hash_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte ^ UINT64_C(0xcbf29ce484222325)) *
	       UINT64_C(0x100000001b3);
}

void
stn_echo_restart(struct stn_echo *echo)
{
	echo->at = echo->at_hash = echo->lines = 0;
}

/* Keeps as many of the bytes as there is room for; returns their number. */
static size_t
keep(struct stn_echo *echo, const unsigned char *bytes, size_t size)
{
	size_t left = STN_ECHO_BYTES - echo->kept_bytes;
	size_t count = size < left ? size : left, room = echo->room;
	unsigned char *more;

	if (echo->full)
		return 0;
	while (room < echo->kept_bytes + count)
		room = room ? 2 * room : 4096;
	more = room > echo->room ? realloc(echo->kept, room) : echo->kept;
	echo->full = count < size || !more;
	if (!more)
		return 0;
	echo->kept = more;
	echo->room = room;
	if (count)
		memcpy(echo->kept + echo->kept_bytes, bytes, count);
	echo->kept_bytes += count;
	return count;
}

/* Nothing was printed before from here on. */
static void
echo_note(struct stn_echo *echo, const unsigned char *bytes, size_t size)
{
	size_t kept = keep(echo, bytes, size);

	for (size_t i = kept; i < size; i++)
		echo->hash = hash_byte(echo->hash, bytes[i]);
	echo->total += size;
	echo->at = echo->total;
	echo->at_hash = echo->hash;
}

/* The next root is compared with what the present one prints instead. */
static void
forget_rest(struct stn_echo *echo)
{
	echo->total = echo->kept_bytes = (size_t)echo->at;
	echo->hash = 0;
	echo->full = false;
}

/* The number of bytes in front of @end that belong to the same line. */
static size_t
since_line(const unsigned char *bytes, size_t end)
{
	const unsigned char *last = end ? memrchr(bytes, '\n', end) : NULL;

	return last ? end - (size_t)(last + 1 - bytes) : end;
}

size_t
stn_echo_take(struct stn_echo *echo, const unsigned char *bytes, size_t size,
	      bool *differs_p)
{
	size_t same = 0;

	*differs_p = false;
	while (same < size && echo->at < echo->kept_bytes &&
	       echo->kept[echo->at] == bytes[same]) {
		echo->at++;
		same++;
	}
	if (same < size && echo->at < echo->kept_bytes) {
		*differs_p = true;
		echo->at -= since_line(bytes, same);
		same -= since_line(bytes, same);
		forget_rest(echo);
	}
	while (same < size && echo->at < echo->total) {
		echo->at_hash = hash_byte(echo->at_hash, bytes[same++]);
		if (++echo->at == echo->total)
			*differs_p = echo->at_hash != echo->hash;
	}
	if (same < size)
		echo_note(echo, bytes + same, size - same);
	for (size_t i = 0; i < (*differs_p ? same : size); i++)
		echo->lines += bytes[i] == '\n';
	return same;
}

void
stn_echo_explain(const struct stn_echo *echo, uint32_t rank,
		 struct stn_why *why)
{
	snprintf(why->text, sizeof(why->text),
		 "node %" PRIu32 " runs main again, and its output differs "
		 "from what was printed, from line %" PRIu64 " on",
		 rank, echo->lines + 1);
}

void
stn_echo_fini(struct stn_echo *echo)
{
	free(echo->kept);
	*echo = (struct stn_echo){ NULL };
}
