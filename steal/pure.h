/*
 * pure.h: finds tasks that are not pure (--check-pure). A worker runs the first
 * calls of each task twice, and then one of 64, and compares the outputs, byte
 * by byte, as they would travel to another node. Calls inside a call that runs
 * twice are not compared by themselves.
 *
 * If the outputs differ, the call itself may be pure and have called a task
 * that is not. So the call runs once more, on this worker alone, and each call
 * that it spawns runs twice. The innermost call whose outputs differ is the one
 * that is named, and the run ends.
 */
#ifndef STN_STEAL_PURE_H
#define STN_STEAL_PURE_H

#include "steal/sateen_record.h"
#include "transport/error.h"

struct stn_owner;

struct stn_pure_owner {
	uint64_t *calls; /* by task */
	bool busy;	 /* inside a call that runs twice */
	bool searching;	 /* inside a call whose outputs differ */
};

/* stn_pure_init: for a program with @tasks tasks. STN_NO_MEMORY. */
STN_CHECKED enum stn_err stn_pure_init(struct stn_pure_owner *pure,
				       uint32_t tasks);
void stn_pure_fini(struct stn_pure_owner *pure);

/*
 * stn_pure_check: runs @record as task->run does, maybe twice. Does not return
 * if the task is not pure. Own thread. Called by stn_owner_run (steal.h).
 */
void stn_pure_check(struct stn_owner *owner, const struct stn_record *record,
		    const struct stn_task *task, struct stn_record *head,
		    void *result);

#endif
