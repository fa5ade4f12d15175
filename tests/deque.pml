/*
 * deque.pml: the deque's protocol (steal/deque.h) as a model for Spin, which
 * walks through all that can happen between an owner and two thieves: a worker
 * of its node, and the progress thread, whose records are run elsewhere and
 * come back in any order. The latter looks at what it finds under the lock, and
 * says yes or no. Names are those of the C code. model.t runs it.
 *
 * The owner makes SPAWNS spawns and their syncs in any order, each spawn plain
 * or slow. The limit, which decides that, is a hint; sleep.pml has it. While
 * the owner waits in a sync, it spawns and syncs above the record, as do calls
 * which it runs meanwhile. Thieves steal at any time.
 *
 * What is checked: each call is run once, after its arguments were written, as
 * the task that was spawned; a slot keeps its record as long as a thief has it;
 * each sync gets the result of its own spawn, the last one first; the tail is
 * never above the head; in the end all threads end, and the deque is empty.
 *
 * The processor: the owner's stores wait in a buffer. It sees them at once;
 * others later, in any order, except that stores to one word keep theirs, and a
 * release comes after all before it. That is what x86 does (always in order),
 * and what ARM may do besides. Thieves have no buffer: what they write, they
 * write under the lock, or release.
 *
 * A spawn is known by its number, which stands for its task and its arguments,
 * and, as RESULT(number), its result. Each statement is one step of its thread,
 * and so is an atomic, of which others can tell one access only.
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

/* With one of these faults, given by -DFAULT=, the check must fail. */
#define NO_MEMBARRIER 1 /* a claim without a membarrier */
#define THIEF_LOOKS_FIRST 2 /* a thief that loads ready before its swap */
#define OWNER_LOOKS_FIRST 3 /* a pop that loads thief before it clears ready */
#define CLAIM_KEPT 4 /* a thief that found NULL and doesn't let go */
#define CLAIM_UNLOCKED 5 /* a claim without the lock */
#define PUSH_EARLY 6 /* a push before the arguments are written */
#define PUSH_RELAXED 7 /* a push without release */
#define OFFER_EARLY 8 /* an offer before the arguments are written */
#define TASK_LATE 9 /* an offer before what to call is written */
#define TASK_FROM_READY 10 /* what to call taken from the ready word */
#define OFFER_BY_STORE 11 /* an offer by a store instead of a swap */
#define RETAKE_BY_STORE 12 /* a retake by a store instead of a swap */
#define RETAKE_UNLOCKED 13 /* a retake without the lock */
#define DONE_EARLY 14 /* done before the result is written */
#define SYNC_EARLY 15 /* a sync that doesn't wait until done */
#define FREE_UNLOCKED 16 /* a free without the lock */
#define FREE_KEEPS_TAIL 17 /* a free that leaves the tail where it is */
#define NO_SENTINEL 18 /* no FULL at the end */
#define NO_FIRST_LOOK 19 /* thieves that claim without a first look */
#define DECIDE_UNLOCKED 20 /* a lock given back before it is decided */
#define LOOK_BY_STORE 21 /* a look that holds the record by a store */
#define RETAKE_ONCE 22 /* a retake that doesn't try again under the lock */
#define PUT_BACK_BEHIND 23 /* a record that is put back behind the tail */
#ifndef FAULT
#define FAULT 0
#endif
#define fault(name) (FAULT == name)

#define END SLOTS	    /* deque->end, the slot behind the last */
#define RECORDS (SLOTS + 1) /* with that one */

/* The words of memory: those of records, and those of the deque. */
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

byte head;     /* the owner's register; thieves assert with it */
byte spawned;  /* the last number */
byte called;   /* a set of numbers */
bool stopping; /* node->stopping */
byte ended;    /* thieves */

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

/* What the owner loads from a word. */
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
 * The owner: sateen_task.h, spawn.c, and its part of deque.c. Most faults are
 * something that it may do instead.
 */
byte spawns[SPAWNS]; /* not synced: those in slots, then those run in place */
byte depth;	     /* how many */

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

/* stn_deque_offer: the oldest without a thief, it should be; any will do. */
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
	   :: atomic { /* put back meanwhile */
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

/* A sync, until it is known who has the record. */
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
		thief != NONE && record == END -> /* sync_overflow */
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

/* The rest of a sync that awaited its record. */
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
 * The thieves: their part of deque.c, worker.c, lend.c.
 */

/* It ends after a moment at which no store waited. */
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

/* May a conditional thief take a look? It is the progress thread. */
#define may_look(record, me) (me == NODE && is_offered(record))

/* A conditional thief gets hold of a record, so that it stands still. */
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
 * It says yes, or no. If it always says no, and the lock isn't fair, the owner
 * may wait forever: that isn't looked for.
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
 * Offered records are taken in any order: oldest() tells, without the lock,
 * where one was. With the lock it is right. claim_oldest() without anything to
 * claim is catch_up(), which comes at any time.
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
	:: stopping -> break
	od;
	ended++
}
