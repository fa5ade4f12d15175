#include "parts/counts.h"

#define COUNT(name, text)                                                      \
	{                                                                      \
#name, text, offsetof(struct stn_parts_counts, name), NULL,    \
			NULL, NULL                                             \
	}

static const struct stn_count rows[] = {
	COUNT(copies, "parts copied to other nodes"),
	COUNT(copy_bytes_most, "  bytes of copies at most"),
	COUNT(copied_versions, "  complete versions"),
	COUNT(copied_blocks, "  blocks between the last two"),
	COUNT(returned, "parts returned after deaths"),
};

const struct stn_count_table stn_parts_counts_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_parts_counts),
};
