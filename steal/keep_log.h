/*
 * keep_log.h: the format of a log, which one node writes with --keep and any
 * number of nodes read with --resume. All numbers are little-endian, as
 * in steal/wire.h. A log is a header and then entries:
 *
 *	header	 0 "SATEENLG"
 *		 8 version (32)	     STN_LOG_VERSION
 *		12 rank (32)	     of the node
 *		16 program (64)	     struct stn_table's identity
 *		24 run (64)	     a random number of the run
 *		32 kind (64)	     0: of results; 1: of a version of an
 *				     array (parts/survive/stored.h)
 *		40 check (64)	     XXH3 of the 40 bytes before
 *	entry	 0 "ENTR"
 *		 4 hint (32)	     stn_key_hint of the call
 *		 8 key (128)	     stn_key_of the call
 *		24 cost (64)	     nanoseconds that the call took
 *		32 size (64)	     of the outputs
 *		40 outputs	     as in a RESULT message
 *		   zeros	     up to a multiple of 8
 *		   check (64)	     XXH3 of all bytes of the entry before
 *
 * In a log of an array the entries have the same form, with other numbers.
 *
 * Each entry begins at a multiple of 8. A node that dies may leave a part of an
 * entry at the end of its log. If bytes of the log have changed, the next
 * intact entry is found by its first four bytes and its check.
 */
#ifndef STN_STEAL_KEEP_LOG_H
#define STN_STEAL_KEEP_LOG_H

#include "steal/key.h"
#include "transport/error.h"

#define STN_LOG_VERSION 1
#define STN_LOG_HEADER_BYTES 48
#define STN_LOG_ENTRY_BYTES 40 /* of an entry, before the outputs */
#define STN_LOG_END_BYTES 15   /* at most: zeros and check */

enum { STN_LOG_OF_RESULTS, STN_LOG_OF_ARRAY };

struct stn_log_header {
	uint32_t rank;
	uint64_t program, run, kind;
};

struct stn_log_entry {
	struct stn_key key;
	uint32_t hint;
	uint64_t cost_ns;
	uint64_t size;	     /* of the outputs */
	const void *outputs; /* in the log's bytes; at a multiple of 8 */
};

/* stn_log_header_write: writes the STN_LOG_HEADER_BYTES of a header to @to. */
void stn_log_header_write(const struct stn_log_header *header,
			  unsigned char *to);

/*
 * stn_log_entry_space: the bytes of an entry with outputs of @size bytes.
 * stn_log_entry_write: completes an entry at @to, which is aligned to 8 bytes
 * and has that space. The outputs are in their place already.
 */
size_t stn_log_entry_space(size_t size);
void stn_log_entry_write(const struct stn_log_entry *entry, unsigned char *to);

/*
 * stn_log_entry_frame: the bytes of an entry before its outputs, which are
 * elsewhere in memory (entry->outputs), and those behind them. Returns the
 * number of the latter.
 */
size_t stn_log_entry_frame(const struct stn_log_entry *entry,
			   unsigned char head[STN_LOG_ENTRY_BYTES],
			   unsigned char end[STN_LOG_END_BYTES]);

/*
 * Reads a log that lies in memory aligned to 8 bytes. When stn_log_read has
 * returned false, @damaged is the offset of the first damage, or 0 if there is
 * none. The beginning of an entry at the end of the log is no damage.
 */
struct stn_log_reader {
	const unsigned char *bytes;
	size_t size, at;
	size_t damaged;
};

/*
 * stn_log_open: begins to read a log. Returns STN_OK; STN_MALFORMED if it has
 * no intact header; or STN_INVALID if it has another version.
 */
STN_CHECKED enum stn_err stn_log_open(struct stn_log_reader *reader,
				      const void *bytes, size_t size,
				      struct stn_log_header *header_p);

/* stn_log_read: finds the next intact entry. False: there are no more. */
bool stn_log_read(struct stn_log_reader *reader, struct stn_log_entry *entry_p);

#endif
