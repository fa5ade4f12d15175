/*
 * result.h: results of lent records, when they arrive. A result is written into
 * the place that the task's caller named. Net lock held.
 */
#ifndef STN_STEAL_RESULT_H
#define STN_STEAL_RESULT_H

#include "steal/inbox.h"

/*
 * stn_result_take: a result has arrived from another node. If no lent record
 * matches, the result is a duplicate and is dropped.
 */
void stn_result_take(struct stn_steal *steal, const struct stn_message *message,
		     const struct stn_wire_result *result);

/*
 * stn_results_take: several results have arrived (RESULTS), likewise.
 * STN_MALFORMED if they can't be right.
 */
STN_CHECKED enum stn_err stn_results_take(struct stn_steal *steal,
					  const struct stn_message *message,
					  const struct stn_wire_bundle *bundle);

/*
 * stn_result_came_home: this node itself has run a record that it had lent, as
 * @job.
 */
void stn_result_came_home(struct stn_steal *steal, const struct stn_job *job);

#endif
