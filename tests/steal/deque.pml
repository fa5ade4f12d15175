/*
 * deque.pml: the deque's protocol (steal/deque.h) as a model for Spin, which
 * visits all reachable states of an owner and two thieves. One thief is a
 * worker of the owner's node. The other is the progress thread, whose records
 * are run elsewhere and come back in any order; it looks at a record under the
 * lock and accepts or refuses it (stn_deque_steal_if). Names are those of the C
 * code. model.t runs the model.
 *
 * The owner makes SPAWNS spawns and their syncs in any order, each spawn plain
 * or slow. The limit, which decides between these, is a hint, and modelled in
 * sleep.pml. While the owner waits in a sync, it spawns and syncs above the
 * record, as calls do that it runs meanwhile. Thieves steal at any time.
 *
 * Spin checks: each call is run once, after its arguments were written, as the
 * task that was spawned. A slot keeps its record as long as a thief has it.
 * Each sync gets the result of its own spawn, the last one first. The tail is
 * never above the head. In the end all threads end, and the deque is empty.
 *
 * The processor: the owner's stores wait in a buffer. The owner sees them at
 * once, other threads later and in any order, except that stores to one word
 * stay in order, and a release comes after all stores before it. x86 keeps all
 * stores in order; ARM may reorder them like this. Thieves have no buffer,
 * because they write under the lock or by a release.
 *
 * A spawn is known by its number, which stands for its task and its arguments;
 * RESULT(number) is its result. Each statement is one step of its thread. An
 * atomic block is one step, too, and contains at most one access that other
 * threads can observe.
 */
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef SPAWNS
#define SPAWNS 4
#endif
#ifndef FENCED
#define FENCED false /* deque->fenced */
#endif
#ifndef SEVERAL
#define SEVERAL true /* one thief offers several records by one membarrier */
#endif

/* With one of these faults, chosen by -DFAULT=, the check must fail. */
#define NO_MEMBARRIER 1 /* a claim without a membarrier */
#define THIEF_LOOKS_FIRST 2 /* a thief that loads ready before its swap */
#define OWNER_LOOKS_FIRST 3 /* a pop that loads thief before it clears ready */
#define CLAIM_KEPT 4 /* a thief that finds NULL and keeps its claim */
#define CLAIM_UNLOCKED 5 /* a claim without the lock */
#define PUSH_EARLY 6 /* a push before the arguments are written */
#define PUSH_RELAXED 7 /* a push without release */
#define OFFER_EARLY 8 /* an offer before the arguments are written */
#define TASK_LATE 9 /* an offer before the task word is written */
#define TASK_FROM_READY 10 /* a thief that takes the task from the ready word */
#define OFFER_BY_STORE 11 /* an offer by a store instead of a swap */
#define RETAKE_BY_STORE 12 /* a retake by a store instead of a swap */
#define RETAKE_UNLOCKED 13 /* a retake without the lock */
#define DONE_EARLY 14 /* done before the result is written */
#define SYNC_EARLY 15 /* a sync that doesn't wait until its record is done */
#define FREE_UNLOCKED 16 /* a free without the lock */
#define FREE_KEEPS_TAIL 17 /* a free that doesn't move the tail back */
#define NO_SENTINEL 18 /* no FULL in the slot behind the last */
#define NO_FIRST_LOOK 19 /* thieves that claim without looking at ready first */
#define DECIDE_UNLOCKED 20 /* a lock released before the thief has decided */
#define LOOK_BY_STORE 21 /* a look that holds the record by a store */
#define RETAKE_ONCE 22 /* a retake that doesn't try again under the lock */
#define PUT_BACK_BEHIND 23 /* a refused record that is left behind the tail */
#define FENCE_EARLY 24 /* a membarrier before the last of several claims */
#define OFFER_POPPED 25 /* several claims that become offers of popped records, too */
#define SEVERAL_UNLOCKED 26 /* several claims without the lock */
#ifndef FAULT
#define FAULT 0
#endif
#define fault(name) (FAULT == name)

#define END SLOTS	    /* deque->end, the slot behind the last */
#define RECORDS (SLOTS + 1) /* including END */

/* The words of memory: those of the records, and those of the deque. */
#define READY(record) (1 + record)
#define TASK(record) (1 + RECORDS + record)
#define THIEF(record) (1 + 2 * RECORDS + record)
#define ARGUMENTS(record) (1 + 3 * RECORDS + record)
#define TAIL (1 + 4 * RECORDS)
#define LOCK (2 + 4 * RECORDS)
#define WORDS (3 + 4 * RECORDS)
byte memory[WORDS];

#define RESULT(number) (100 + number)

/* enum STN_THIEF_* */
#define NONE 0
#define OFFERED 1
#define DONE 2
#define FULL 3
#define UNDECIDED 4
#define WORKER 5
#define NODE 6

byte head;     /* a register of the owner; thieves use it in assertions */
byte spawned;  /* the number of the last spawn */
byte called;   /* a set of the numbers of calls that were run */
bool stopping; /* node->stopping */
byte ended;    /* number of thieves that have ended */

inline call(number)
{
	assert(number && !(called >> number & 1));
	called = called | 1 << number
}

/* The store buffer, oldest first. RELEASE is added to the word. */
#define BUFFER 4
#define RELEASE 128
byte where[BUFFER], what[BUFFER], waiting;

#define room(stores) (waiting + stores <= BUFFER)

inline store(to, value)
{
	where[waiting] = to;
	what[waiting] = value;
	waiting++
}

/* The value that the owner loads from a word. */
#define at(n, word) ((where[n] & 127) == (word))
#define seen(word)                                                             \
	(at(3, word) -> what[3] : (at(2, word) -> what[2] :                    \
	(at(1, word) -> what[1] : (at(0, word) -> what[0] : memory[word]))))

inline drain(n)
{
	memory[where[n] & 127] = what[n];
	for (i : n .. BUFFER - 2) {
		where[i] = where[i + 1];
		what[i] = what[i + 1]
	}
	where[BUFFER - 1] = 0;
	what[BUFFER - 1] = 0;
	waiting--;
	i = 0
}

#define plain(n) (where[n] && where[n] < RELEASE)
#define passes(n, older) (!at(older, where[n]))

active proctype store_buffer()
{
	byte i;

end:	do
	:: d_step {
		waiting ->
		drain(0)
	}
	:: d_step {
		plain(1) && passes(1, 0) ->
		drain(1)
	}
	:: d_step {
		plain(2) && passes(2, 0) && passes(2, 1) ->
		drain(2)
	}
	:: d_step {
		plain(3) && passes(3, 0) && passes(3, 1) && passes(3, 2) ->
		drain(3)
	}
	od
}

/*
 * The owner: sateen_record.h, spawn.c, and its part of deque.c. Most faults are
 * alternatives that the owner may choose.
 */
byte spawns[SPAWNS]; /* unsynced spawns: in slots, then those run in place */
byte depth;	     /* number of unsynced spawns */

/* A swap that succeeds comes after all stores before it. */
#define swaps(record, from) (!waiting && memory[THIEF(record)] == from)
#define fails(record, from) (seen(THIEF(record)) != from)

inline write(record)
{
	atomic { room(1) -> store(ARGUMENTS(record), spawns[record]) }
}

inline stn_push(record)
{
	atomic {
		room(1) ->
		store(READY(record) + RELEASE * !fault(PUSH_RELAXED),
		      spawns[record])
	}
}

inline offer(record)
{
	if
	:: atomic { room(1) -> store(TASK(record), spawns[record]) };
	   if
	   :: atomic { swaps(record, NONE) -> memory[THIEF(record)] = OFFERED }
	   :: fails(record, NONE)
	   :: atomic {
		fault(OFFER_BY_STORE) && room(1) ->
		store(THIEF(record), OFFERED)
	      }
	   fi
	:: atomic {
		fault(TASK_LATE) && swaps(record, NONE) ->
		memory[THIEF(record)] = OFFERED;
		store(TASK(record), spawns[record])
	   }
	fi
}

/*
 * stn_deque_offer offers the oldest record without a thief; the model offers
 * any record.
 */
inline offer_oldest()
{
	atomic {
		do
		:: record < head - 1 -> record++
		:: break
		od;
		if
		:: seen(THIEF(record)) == NONE ->
		   assert(seen(READY(record)) == spawns[record]);
		   offer(record)
		:: else
		fi;
		record = 0
	}
}

inline spawn()
{
	atomic { spawned++; spawns[depth] = spawned; depth++ };
	if
	:: atomic { head >= END -> call(spawned); head = END + 1 }
	:: atomic { head < END -> head++ };
	   if
	   :: !FENCED ->
	      write(head - 1);
	      stn_push(head - 1);
	      if
	      :: true
	      :: offer_oldest() /* stn_spawn_late */
	      fi
	   :: write(head - 1);
	      offer(head - 1);
	      stn_push(head - 1);
	      offer_oldest()
	   :: fault(PUSH_EARLY) -> stn_push(head - 1); write(head - 1)
	   :: fault(OFFER_EARLY) ->
	      offer(head - 1);
	      write(head - 1);
	      stn_push(head - 1)
	   fi
	fi
}

inline stn_pop()
{
	if
	:: atomic { room(1) -> store(READY(record), 0) };
	   thief = seen(THIEF(record))
	:: fault(OWNER_LOOKS_FIRST) ->
	   thief = seen(THIEF(record));
	   atomic { room(1) -> store(READY(record), 0) }
	fi
}

inline retake()
{
	if
	:: atomic {
		swaps(record, OFFERED) ->
		memory[THIEF(record)] = NONE;
		thief = NONE
	   }
	:: fails(record, OFFERED) ->
	   atomic { !memory[LOCK] -> memory[LOCK] = true };
	   if
	   :: atomic { /* a thief has refused the record meanwhile */
		swaps(record, OFFERED) && !fault(RETAKE_ONCE) ->
		memory[THIEF(record)] = NONE;
		thief = NONE;
		store(LOCK + RELEASE, false)
	      }
	   :: atomic {
		(fails(record, OFFERED) || fault(RETAKE_ONCE)) && room(1) ->
		thief = seen(THIEF(record));
		store(LOCK + RELEASE, false)
	      }
	   fi
	:: atomic {
		fault(RETAKE_BY_STORE) && !fails(record, OFFERED) && room(1) ->
		store(THIEF(record), NONE);
		thief = NONE
	   }
	:: fault(RETAKE_UNLOCKED) && fails(record, OFFERED) ->
	   thief = seen(THIEF(record))
	fi
}

inline free()
{
	if
	:: atomic { !memory[LOCK] -> memory[LOCK] = true };
	   atomic {
		room(3) ->
		store(THIEF(record) + RELEASE, NONE);
		if
		:: seen(TAIL) > record && !fault(FREE_KEEPS_TAIL) ->
			store(TAIL, record)
		:: else
		fi;
		store(LOCK + RELEASE, false)
	   }
	:: atomic {
		fault(FREE_UNLOCKED) && room(2) ->
		store(THIEF(record) + RELEASE, NONE);
		if
		:: seen(TAIL) > record -> store(TAIL, record)
		:: else
		fi
	   }
	fi
}

/* A sync, up to the point where it is known which thread has the record. */
inline sync()
{
	record = head - 1;
	stn_pop();
	if
	:: thief != NONE && record != END -> retake()
	:: else
	fi;
	if
	:: atomic {
		thief == NONE ->
		depth--;
		assert(seen(ARGUMENTS(record)) == spawns[depth]);
		call(spawns[depth]);
		head = record;
		record = 0
	   }
	:: atomic {
		thief != NONE && record == END -> /* sync_spill */
		depth--;
		head = (depth > SLOTS -> END + 1 : END);
		record = 0;
		thief = 0
	   }
	:: atomic {
		thief != NONE && record != END ->
		assert(thief == DONE || thief >= WORKER);
		assert(seen(TASK(record)) == spawns[record]);
		awaited = awaited | 1 << record;
		record = 0;
		thief = 0
	   }
	fi
}

#define awaits (head && awaited >> (head - 1) & 1)
#define is_done (seen(THIEF(head - 1)) == DONE || fault(SYNC_EARLY))

/* The rest of a sync that has waited for its record. */
inline come_back()
{
	record = head - 1;
	assert(seen(ARGUMENTS(record)) == RESULT(spawns[record]));
	free();
	atomic {
		awaited = awaited & ~(1 << record);
		depth--;
		head = record;
		record = 0
	}
}

active proctype owner()
{
	byte record, thief;
	byte awaited; /* a set of slots */

	memory[THIEF(END)] = (fault(NO_SENTINEL) -> NONE : FULL);
	do
	:: spawned < SPAWNS -> spawn()
	:: depth && !awaits -> sync()
	:: awaits && is_done -> come_back()
	:: spawned == SPAWNS && !depth -> break
	od;
	stopping = true;
	ended == 2 && !waiting;
	assert(called == (1 << SPAWNS + 1) - 2);
	assert(!memory[TAIL] && !memory[LOCK])
}

/*
 * The thieves: their part of deque.c, worker.c, victim.c.
 */

/* A membarrier ends after a moment at which no store waited. */
#define membarrier (!waiting || fault(NO_MEMBARRIER))

#define is_offered(record) (memory[THIEF(record)] == OFFERED)
#define is_taken(record)                                                       \
	(memory[THIEF(record)] == DONE || memory[THIEF(record)] >= WORKER)

#define may_lock (!memory[LOCK] || fault(CLAIM_UNLOCKED))
#define may_claim(record)                                                      \
	(memory[THIEF(record)] == NONE && !FENCED &&                           \
	 (memory[READY(record)] || fault(NO_FIRST_LOOK) && !stopping))

inline take(slot, me)
{
	record = slot;
	assert(record < head);
	memory[THIEF(record)] = me
}

inline claim(me)
{
	do
	:: atomic {
		memory[THIEF(record)] == NONE ->
		memory[THIEF(record)] = me
	   };
	   membarrier;
	   if
	   :: atomic {
		memory[READY(record)] ->
		memory[TASK(record)] = memory[READY(record)];
		claimed = true
	      };
	      break
	   :: !memory[READY(record)] ->
	      memory[THIEF(record)] = (fault(CLAIM_KEPT) -> me : NONE)
	   fi;
	   if
	   :: memory[READY(record)] /* another record */
	   :: !memory[READY(record)] -> break
	   fi
	:: memory[THIEF(record)] != NONE -> break
	:: atomic {
		fault(THIEF_LOOKS_FIRST) && memory[READY(record)] ->
		memory[TASK(record)] = memory[READY(record)]
	   };
	   if
	   :: atomic {
		memory[THIEF(record)] == NONE ->
		memory[THIEF(record)] = me;
		claimed = true
	      }
	   :: memory[THIEF(record)] != NONE
	   fi;
	   break
	od
}

/* Only the progress thread looks at records. */
#define may_look(record, me) (me == NODE && is_offered(record))

/* A thief gets hold of a record to look at it; the owner can't change it. */
inline hold()
{
	if
	:: atomic {
		is_offered(record) ->
		memory[THIEF(record)] = UNDECIDED;
		memory[LOCK] = !fault(DECIDE_UNLOCKED);
		claimed = true
	   }
	:: is_offered(record) && fault(LOOK_BY_STORE) ->
	   atomic { memory[THIEF(record)] = UNDECIDED; claimed = true }
	:: !is_offered(record) -> claim(UNDECIDED)
	fi
}

/*
 * The thief accepts the record or refuses it. If it always refuses, and the
 * lock isn't fair, the owner may wait without end; the model ignores that.
 */
inline decide(me)
{
	if
	:: claimed ->
progress_look:
	   atomic {
		assert(record < head && memory[THIEF(record)] == UNDECIDED);
		assert(memory[ARGUMENTS(record)] == memory[TASK(record)]);
		if
		:: memory[THIEF(record)] = me
		:: memory[THIEF(record)] = OFFERED; claimed = fault(PUT_BACK_BEHIND)
		fi
	   }
	:: !claimed
	fi
}

/*
 * Offered records are taken in any order: without the lock oldest() finds a
 * record that was the oldest at some time. With the lock it is exact.
 * claim_oldest() without a record to claim is catch_up(), which may be called
 * at any time.
 */
inline steal(me)
{
	if
	:: atomic { is_offered(0) -> take(0, me) }
	:: atomic { is_offered(1) -> take(1, me) }
	:: atomic { is_offered(2) -> take(2, me) }
	:: atomic {
		may_lock && (is_taken(memory[TAIL]) || may_claim(memory[TAIL]) ||
			     may_look(memory[TAIL], me)) ->
		record = memory[TAIL];
		do
		:: is_taken(record) -> record++
		:: else -> break
		od;
		if
		:: may_claim(record) || may_look(record, me) ->
			memory[LOCK] = true
		:: else -> memory[TAIL] = record; goto again
		fi
	   };
	   if
	   :: me == NODE -> hold(); decide(me)
	   :: me != NODE -> claim(me)
	   fi;
	   atomic {
		assert(record + claimed <= head);
		memory[TAIL] = record + claimed;
		memory[LOCK] = false;
		if
		:: claimed -> claimed = false
		:: else -> goto again
		fi
	   }
	fi
}

/*
 * stn_deque_offer_oldest and stn_deque_mark: claims several records, all by one
 * membarrier, and offers those that the owner has not popped meanwhile. The
 * model begins at any record from the oldest on and ends at any later one. If
 * stn_deque_mark skips the oldest record again and again, nothing else happens;
 * the model ignores that.
 */
#define is_there(record)                                                       \
	(memory[READY(record)] || is_offered(record) || is_taken(record))

inline claim_several()
{
	do
	:: record < end ->
	   if
	   :: atomic {
		memory[THIEF(record)] == NONE ->
		memory[THIEF(record)] = UNDECIDED
	      }
	   :: memory[THIEF(record)] != NONE
	   :: fault(FENCE_EARLY) && record + 1 == end ->
	      membarrier;
	      if
	      :: atomic {
		   memory[THIEF(record)] == NONE ->
		   memory[THIEF(record)] = UNDECIDED;
		   record = end;
		   goto fenced
		 }
	      :: memory[THIEF(record)] != NONE
	      fi
	   fi;
	   record++
	:: record == end -> break
	od;
	membarrier;
fenced:	skip
}

inline offer_several()
{
	atomic {
		SEVERAL && !FENCED && (!memory[LOCK] || fault(SEVERAL_UNLOCKED)) &&
			may_claim(memory[TAIL]) ->
		memory[LOCK] = true;
		first = memory[TAIL]
	};
	end = first;
	do
	:: end < END && is_there(end) -> end++
	:: first < end - 1 ->
progress_mark:
	   first++
	:: first < end -> break
	:: atomic {
		first == end && !is_there(end) ->
		memory[LOCK] = false;
		first = 0;
		end = 0;
		goto again
	   }
	od;
	record = first;
	claim_several();
	record = first;
	do
	:: record < end ->
	   if
	   :: atomic {
		memory[READY(record)] && memory[THIEF(record)] == UNDECIDED ->
		memory[TASK(record)] = memory[READY(record)]
	      };
	      memory[THIEF(record)] = OFFERED
	   :: atomic {
		!memory[READY(record)] && memory[THIEF(record)] == UNDECIDED ->
		memory[THIEF(record)] = (fault(OFFER_POPPED) -> OFFERED : NONE)
	      }
	   :: memory[THIEF(record)] != UNDECIDED
	   fi;
	   record++
	:: atomic {
		record == end ->
		memory[LOCK] = false;
		first = 0;
		end = 0;
		goto again
	   }
	od
}

#define what_to_call                                                           \
	(fault(TASK_FROM_READY) -> memory[READY(record)] : memory[TASK(record)])

active proctype worker()
{
	byte record, task;
	bool claimed;

again:	record = 0;
	do
	:: steal(WORKER);
	   atomic {
		task = what_to_call;
		assert(memory[ARGUMENTS(record)] == task);
		call(task)
	   };
	   if
	   :: fault(DONE_EARLY) -> memory[THIEF(record)] = DONE
	   :: else
	   fi;
	   atomic {
		assert(memory[ARGUMENTS(record)] == task);
		memory[ARGUMENTS(record)] = RESULT(task)
	   };
	   atomic {
		memory[THIEF(record)] = DONE;
		record = 0;
		task = 0
	   }
	:: stopping -> break
	od;
	ended++
}

active proctype progress()
{
	byte record, task;
	bool claimed;
	byte lent; /* a set of slots */
	byte first, end; /* of several records */

again:	record = 0;
	do
	:: steal(NODE);
	   atomic {
		assert(memory[ARGUMENTS(record)] == memory[TASK(record)]);
		lent = lent | 1 << record;
		record = 0
	   }
	:: atomic {
		lent -> /* one of them comes back */
		do
		:: lent >> record & 1 -> break
		:: lent >> record > 1 -> record++
		od;
		task = memory[TASK(record)];
		assert(memory[ARGUMENTS(record)] == task);
		call(task);
		memory[ARGUMENTS(record)] = RESULT(task);
		task = 0
	   };
	   atomic {
		memory[THIEF(record)] = DONE;
		lent = lent & ~(1 << record);
		record = 0
	   }
	:: offer_several()
	:: stopping -> break
	od;
	ended++
}
