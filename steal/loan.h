/*
 * loan.h: records that leave this node, as the answer to a request (a grant) or
 * unasked (a push). A record is lent, not given: its slot stays as it is until
 * the result arrives. The record is sent straight from its slot, its buffers
 * from the application's memory. Net lock held, unless said otherwise.
 */
#ifndef STN_STEAL_LOAN_H
#define STN_STEAL_LOAN_H

#include "steal/inbox.h"

struct stn_bundle;
struct stn_owner;

/*
 * Selects the records that may be taken. @fits is called for each candidate,
 * under the lock of its deque. @since_ns is about the time at which the
 * record's worker began to work on the call that the record is part of.
 */
struct stn_loan_filter {
	bool (*fits)(void *arg, const struct stn_task *task,
		     const struct stn_record *record, uint64_t since_ns);
	void *arg;
};

/*
 * stn_loan_take: takes the oldest record of a deque, to send it to another
 * node. The search begins at a random worker. Returns NULL if there is no
 * record.
 * @most    so many records the caller may take, one after the other: the deque
 *     offers them all first, by one membarrier
 * @filter  NULL: any record
 */
struct stn_record *stn_loan_take(struct stn_steal *steal, uint32_t most,
				 const struct stn_loan_filter *filter);

/*
 * stn_loan_address: fills in the members of a record that only a record on the
 * network needs.
 */
void stn_loan_address(struct stn_owner *owner, struct stn_record *record);

/*
 * stn_loan_grant: sends a record from stn_loan_take to node @to, as the answer
 * to the request @number of that node.
 * stn_loan_relay: does the same with a job, and frees it when it has left.
 */
void stn_loan_grant(struct stn_steal *steal, uint32_t to, uint32_t number,
		    struct stn_record *record);
void stn_loan_relay(struct stn_steal *steal, uint32_t to, uint32_t number,
		    struct stn_job *job);

/*
 * stn_loan_push: sends the oldest record to node @to, which has not asked.
 * Returns false if there is no record. The record counts as in transit until it
 * has arrived.
 * stn_loan_arrived: node @from has said that a pushed record has arrived.
 * stn_loan_died: node @rank has died; records that were pushed to it no longer
 *   count as in transit.
 */
bool stn_loan_push(struct stn_steal *steal, uint32_t to);
void stn_loan_arrived(struct stn_steal *steal, uint32_t from);
void stn_loan_died(struct stn_steal *steal, uint32_t rank);

/*
 * stn_loan_add: adds a record from stn_loan_take to a bundle for node @to.
 * stn_loan_add_job: does the same with a job, and frees it.
 * stn_loan_bundle: sends the bundle, or frees it if it is empty.
 */
void stn_loan_add(struct stn_bundle *bundle, uint32_t to,
		  struct stn_record *record);
void stn_loan_add_job(struct stn_bundle *bundle, uint32_t to,
		      struct stn_job *job);
void stn_loan_bundle(struct stn_bundle *bundle, uint32_t to);

/*
 * stn_loan_send_home: sends the records of the inbox back to the nodes that
 * spawned them, if no worker here has enough stack left to run them. A worker
 * that waits for its record at home always has room for it. Takes the net lock.
 * stn_loan_return_all: sends them all back.
 */
void stn_loan_return_all(struct stn_steal *steal);
void stn_loan_send_home(struct stn_steal *steal);

#endif
