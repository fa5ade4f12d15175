/*
 * bundle.h: several short records, or several results, in one message, which
 * holds copies of them. If each had its own message, the progress thread of a
 * busy receiver would be woken for each. Net lock held.
 */
#ifndef STN_STEAL_BUNDLE_H
#define STN_STEAL_BUNDLE_H

#include "steal/inbox.h"

struct stn_gather;

/* A bundle that is being filled. It is not sent if it is empty. */
struct stn_bundle {
	struct stn_steal *steal;
	struct stn_jobs jobs; /* whose results it has */
	struct stn_wire_bundle header;
	size_t bytes;
	unsigned char payload[STN_BUNDLE_BYTES];
};

/* stn_bundle_create: an empty bundle; ends the run if there is no memory. */
struct stn_bundle *stn_bundle_create(struct stn_steal *steal);

/* stn_bundle_fits: whether a record or a result of so many bytes has room. */
bool stn_bundle_fits(const struct stn_bundle *bundle, size_t bytes);

/*
 * stn_bundle_record_bytes: the bytes that a record takes, whose buffers take
 * @inputs.
 * stn_bundle_result_bytes: the bytes that a result takes, whose outputs take
 * @outputs.
 */
size_t stn_bundle_record_bytes(const struct stn_task *task, size_t inputs);
size_t stn_bundle_result_bytes(size_t outputs);

/*
 * stn_bundle_add_record: copies a record, which fits.
 * stn_bundle_add_result: copies the outputs of a job, which fit. The bundle
 * owns the job from then on.
 */
void stn_bundle_add_record(struct stn_bundle *bundle,
			   const struct stn_task *task,
			   struct stn_record *record);
void stn_bundle_add_result(struct stn_bundle *bundle, struct stn_job *job,
			   const struct stn_gather *outputs);

/*
 * stn_bundle_send: sends the bundle as a message of @kind to node @to, and
 * frees it when it has left: @done is called, which calls stn_bundle_free.
 */
void stn_bundle_send(struct stn_bundle *bundle, uint32_t to, uint8_t kind,
		     stn_done *done);

/* stn_bundle_free: frees the bundle and its jobs. */
void stn_bundle_free(struct stn_bundle *bundle);

/*
 * stn_bundle_open: copies the payload of a message that stn_wire_parse has
 * accepted to @bytes. Returns STN_MALFORMED if the payload has not arrived with
 * the message, which no bundle is too long for.
 */
STN_CHECKED enum stn_err stn_bundle_open(struct stn_steal *steal,
					 const struct stn_message *message,
					 unsigned char bytes[STN_BUNDLE_BYTES]);

#endif
