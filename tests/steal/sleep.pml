/*
 * sleep.pml: how thieves fall asleep and are woken (stn_node_sleep, doze and
 * stn_node_wake in node/sleep.c, steal_may_sleep in steal/service.c, announce
 * in steal/spawn.c), as a model for Spin, with a worker that spawns, two that
 * steal, and the end of the run. Names are those of the C code. model.t runs
 * the model.
 *
 * The spawning worker, the owner, works in rounds. In each it spawns RECORDS
 * records. Then it makes a long call, which ends only when thieves have taken
 * the records; the stolen calls end only then, too. So a thief that sleeps
 * while there is a record for it blocks all threads, and Spin finds that. The
 * syncs sleep until all records have been run. After ROUNDS rounds the node
 * stops. No sleep ends by a timeout.
 *
 * A steal is one step here; deque.pml models the steps. With CLAIMS the
 * progress thread may steal, too, by a claim in its steps, or look at a record
 * and leave it; and the owner may pop its last record and push another in its
 * place.
 *
 * The owner's stores wait in a buffer and become visible to others in any
 * order; the owner sees them at once. The stores of other threads are
 * sequentially consistent, or followed by a membarrier.
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef RECORDS
#define RECORDS 2
#endif

/* With one of these faults, chosen by -DFAULT=, the check must fail. */
#define NO_MEMBARRIER 1 /* a thief that sleeps without a membarrier */
#define NO_LOWER 2 /* a thief that sleeps without lowering the limit */
#define NO_LOOK 3 /* a thief that sleeps without looking once more */
#define COUNTED_LATE 4 /* a thief that lowers the limit before it is counted */
#define GENERATION_LATE 5 /* a generation read after looking for work */
#define RAISED_LATE 6 /* a limit raised after looking for sleepers */
#define NO_FENCE 7 /* no fence between raising the limit and looking */
#define GENERATION_KEPT 8 /* a wake that leaves the generation as it is */
#define WAKE_LOOKS_FIRST 9 /* a wake that looks for sleepers first */
#define WAKE_UNLOCKED 10 /* a wake without the lock */
#define WAKE_ONE 11 /* a wake of one sleeper instead of all */
#define DONE_LATE 12 /* a wake before the record is marked done */
#define LOOK_ONCE 13 /* a spawn that looks at the limit only before its push */
#define LET_GO 14 /* a claim that is given up without another look */
#define OVER_FIRST 15 /* a generation read after checking for the end */
#define LOOK_TAKES 16 /* a look that counts as a steal */
#ifndef FAULT
#define FAULT 0
#endif
#define fault(name) (FAULT == name)

/* The node. */
byte generation, sleepers;
bool stopping;
bool event;	/* the lock */
bool asleep[3]; /* in pthread_cond_wait */
#define OWNER 0

/* The owner's deque. */
bool low; /* limit */
bool ready[2];
byte tail;    /* number of records that thieves have taken */
byte done;    /* number of these that have been run */
bool lock;
bool claimed;	/* the record at the tail is being claimed */
bool undecided; /* a thief looks at the record at the tail */

/*
 * stn_deque_maybe counts a claimed record as stolen and looks at the next one;
 * it doesn't count an undecided record as stolen.
 */
#define is_ready(record) (record < RECORDS && ready[record])
#define maybe is_ready(tail + claimed)

/* The owner's store buffer: stores that are not visible yet. */
bool raising; /* the limit is set to the end */
bool pushing[2];

active proctype store_buffer()
{
end:	do
	:: d_step { raising -> raising = false; low = false }
	:: d_step { pushing[0] -> pushing[0] = false; ready[0] = true }
	:: d_step { pushing[1] -> pushing[1] = false; ready[1] = true }
	od
}

/* A fence of the owner. A membarrier of another thread waits for the same. */
#define drained !(raising || pushing[0] || pushing[1])

/* pthread_cond_broadcast, under the lock. */
inline broadcast()
{
	!event || fault(WAKE_UNLOCKED);
	if
	:: true -> asleep[0] = false; asleep[1] = false; asleep[2] = false
	:: fault(WAKE_ONE) && asleep[0] -> asleep[0] = false
	:: fault(WAKE_ONE) && asleep[1] -> asleep[1] = false
	fi
}

inline wake()
{
	if
	:: generation = generation + !fault(GENERATION_KEPT);
	   if
	   :: sleepers -> atomic { broadcast() }
	   :: !sleepers
	   fi
	:: fault(WAKE_LOOKS_FIRST) && !sleepers -> generation++
	fi
}

inline doze(me)
{
	atomic { !event -> event = true };
	do
	:: generation == seen ->
	   atomic { asleep[me] = true; event = false };
	   atomic { !asleep[me] && !event -> event = true }
	:: generation != seen -> break
	od;
	event = false
}

/* The owner: spawn.c, and a wait in worker.c during which it runs nothing. */

inline announce()
{
	if
	:: raising = true /* nobody is hungry */
	:: true
	fi;
	drained || fault(NO_FENCE);
	if
	:: sleepers -> wake()
	:: !sleepers
	fi;
	if
	:: fault(RAISED_LATE) -> raising = true
	:: else
	fi
}

#define slow (low && !raising)

inline spawn(record)
{
	if
	:: slow -> pushing[record] = true; announce()
	:: !slow ->
	   pushing[record] = true;
	   if
	   :: slow && !fault(LOOK_ONCE) -> announce() /* stn_spawn_late */
	   :: !slow || fault(LOOK_ONCE)
	   fi
	fi
}

/* May the owner pop its last record? Only after a fence, for simplicity. */
#define may_pop                                                                \
	(drained && tail < RECORDS &&                                          \
	 !((claimed || undecided) && tail == RECORDS - 1))

inline sync()
{
	do
	:: seen = generation;
	   if
	   :: done == RECORDS -> break
	   :: done < RECORDS ->
	      if
	      :: fault(OVER_FIRST) -> seen = generation
	      :: else
	      fi;
	      sleepers++;
	      doze(OWNER);
	      sleepers--
	   fi
	od
}

active proctype owner()
{
	byte rounds, seen;

	do
	:: rounds < ROUNDS ->
	   spawn(0);
	   if
	   :: RECORDS == 2 -> spawn(1)
	   :: else
	   fi;
#ifdef CLAIMS
	   if
	   :: atomic { may_pop -> ready[RECORDS - 1] = false };
	      spawn(RECORDS - 1)
	   :: true
	   fi;
#endif
	   tail == RECORDS;
	   sync();
	   atomic {
		!lock -> /* stn_deque_free */
		tail = 0;
		done = 0;
		ready[0] = false;
		ready[1] = false;
		seen = 0;
		rounds++
	   }
	:: rounds == ROUNDS -> break
	od;
	stopping = true;
	wake()
}

/* The thieves: worker.c and loan.c, and sleep.c with service.c. */

inline sleep(me)
{
	if
	:: sleepers++;
	   if
	   :: !fault(NO_LOWER) -> low = true
	   :: else
	   fi
	:: fault(COUNTED_LATE) -> low = true; sleepers++
	fi;
	drained || fault(NO_MEMBARRIER);
	if
	:: !maybe || fault(NO_LOOK) -> doze(me)
	:: maybe
	fi;
	sleepers--
}

inline run_stolen()
{
	tail == RECORDS;
	if
	:: done++; wake()
	:: fault(DONE_LATE) -> wake(); done++
	fi
}

active [RECORDS] proctype thief()
{
	byte seen;

	do
	:: seen = generation;
	   if
	   :: stopping -> break
	   :: atomic { !stopping && maybe && !lock -> tail++ };
	      run_stolen()
	   :: !stopping && !maybe ->
	      if
	      :: low = true /* run_neighbour */
	      :: true
	      fi;
	      if
	      :: fault(GENERATION_LATE) -> seen = generation
	      :: else
	      fi;
	      sleep(_pid - 1)
	   fi
	od
}

#ifdef CLAIMS
active proctype progress()
{
	do
	:: atomic { !lock && maybe -> lock = true };
	   claimed = true;
again:	   drained; /* membarrier */
	   if
	   :: atomic {
		is_ready(tail) ->
		tail++;
		claimed = false;
		lock = false
	      };
	      run_stolen()
	   :: !is_ready(tail) ->
	      claimed = false;
	      if
	      :: is_ready(tail) && !fault(LET_GO) -> claimed = true; goto again
	      :: !is_ready(tail) || fault(LET_GO) -> lock = false
	      fi
	   fi
	:: atomic { !lock && maybe -> lock = true };
	   if
	   :: undecided = true
	   :: fault(LOOK_TAKES) -> claimed = true
	   fi;
	   drained; /* membarrier */
	   atomic { undecided = false; claimed = false; lock = false }
	:: break /* no more requests */
	od
}
#endif
