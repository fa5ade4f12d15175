#include "transport/pieces.h"

#include <string.h>

size_t
stn_pieces_bytes(const struct iovec *pieces, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += pieces[i].iov_len;
	return bytes;
}

/* Bytes left in the current piece. Skips empty pieces. */
static size_t
rest(const struct iovec **piece_p, size_t *offset)
{
	while (*offset == (*piece_p)->iov_len) {
		++*piece_p;
		*offset = 0;
	}
	return (*piece_p)->iov_len - *offset;
}

size_t
stn_pieces_step(struct stn_pieces_walk *walk, size_t left, char **to_p,
		char **from_p)
{
	size_t to, from, bytes;

	if (!left)
		return 0;
	to = rest(&walk->to, &walk->to_offset);
	from = rest(&walk->from, &walk->from_offset);
	bytes = to < from ? to : from;
	if (bytes > left)
		bytes = left;
	*to_p = (char *)walk->to->iov_base + walk->to_offset;
	*from_p = (char *)walk->from->iov_base + walk->from_offset;
	walk->to_offset += bytes;
	walk->from_offset += bytes;
	return bytes;
}

void
stn_pieces_go(struct stn_pieces_walk *walk, size_t bytes)
{
	char *at_to, *at_from;
	size_t stretch;

	while ((stretch = stn_pieces_step(walk, bytes, &at_to, &at_from))) {
		memcpy(at_to, at_from, stretch);
		bytes -= stretch;
	}
}

void
stn_pieces_copy(const struct iovec *to, const struct iovec *from, size_t bytes)
{
	struct stn_pieces_walk walk = { to, from, 0, 0 };

	stn_pieces_go(&walk, bytes);
}
