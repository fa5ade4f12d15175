/*
 * lent.pml: what becomes of a lent record when nodes die (steal/holders.c,
 * redo.c, loan.c and thief.c), as a model for Spin. model.t runs the model.
 *
 * The home, node 0, has lent a record to node 1. Each node that has the record
 * runs it and sends the result, or passes the record on: it tells the home
 * (MOVED), and then sends the record (GRANT). The home knows of a LARGE result
 * (RESULT) before all of it is there (LANDED). DEATHS of the nodes 1 to 3 die,
 * at any time. A view tells each living node of the death, at any later time;
 * then the node receives nothing from the dead node any more. Messages from one
 * node to another keep their order.
 *
 * Spin finds a home that waits forever, because then all processes wait, a
 * result that is accepted although the record was lent again, and a result that
 * is given up while it lands, although its sender lives.
 */
#ifndef DEATHS
#define DEATHS 2
#endif
#ifndef PASSES /* how often the record is passed on, at most */
#define PASSES 3
#endif
#ifndef LARGE /* whether results are large */
#define LARGE true
#endif

/* With one of these faults, chosen by -DFAULT=, the check must fail. */
#define NO_WHERE 1 /* a home that does not ask when a passing node has died */
#define NO_GONE 2 /* a node that does not answer that it has no record */
#define ANY_MOVE 3 /* a home that believes the last MOVED, not the farthest */
#define MOVED_TO_DEAD 4 /* a home that is content with a move to a dead node */
#define ANY_EPOCH 5 /* a home that accepts results of any epoch */
#define OLD_HOLDER 6 /* a home that does not note which node's result lands */
#ifndef FAULT
#define FAULT 0
#endif
#define fault(name) (FAULT == name)

#define NODES 4
#define HOME 0
#define EPOCHS 7

mtype = { GRANT, RESULT, LANDED, MOVED, WHERE, GONE };

/* Messages: kind, epoch, hops, node. */
chan from_to[16] = [4] of { mtype, byte, byte, byte };
#define link(from, to) from_to[(from) * NODES + (to)]

bool dead[NODES];
byte deaths;
byte passes;

typedef knowledge {
	bool dead[NODES];
}
knowledge knows[NODES];

/* The home's slot. */
bool lent = true;
byte epoch = 1, holder = 1, via = HOME, hops;
byte lands; /* the node whose result is landing; or HOME */

/* What each node has: the hops of the record of that epoch, plus 1; or 0. */
typedef jobs {
	byte record[EPOCHS];
}
jobs has[NODES];

inline run_again() {
	lands = HOME;
	holder = HOME;
	via = HOME;
	has[HOME].record[epoch] = hops + 1
}

inline replace() {
	assert(lands == HOME || knows[HOME].dead[lands]);
	epoch++;
	assert(epoch < EPOCHS);
	run_again()
}

/* stn_redo_lost: the home looks for its record. */
inline look_for() {
	if
	:: !lent
	:: lent && knows[HOME].dead[holder] -> replace()
	:: lent && !knows[HOME].dead[holder] && knows[HOME].dead[via] ->
		via = HOME;
		if
		:: !fault(NO_WHERE) -> link(HOME, holder)!WHERE, epoch, 0, 0
		:: else
		fi
	:: else
	fi
}

/* While a large result lands, a second one does not match any more. */
inline take_result(from, e) {
	if
	:: lent && (e == epoch || fault(ANY_EPOCH)) && !LARGE ->
		assert(e == epoch);
		lent = false
	:: lent && (e == epoch || fault(ANY_EPOCH)) && LARGE ->
		assert(e == epoch);
		epoch++;
		assert(epoch < EPOCHS);
		lands = from;
		if
		:: !fault(OLD_HOLDER) -> holder = from; via = HOME
		:: else
		fi
	:: else
	fi
}

/* All of a result is there. The record may have been run again meanwhile. */
inline place_result(from, e) {
	if
	:: lent && lands == from && e + 1 == epoch -> lent = false
	:: else
	fi
}

inline home_takes(from) {
	if
	:: link(from, HOME)?RESULT, e, h, n -> take_result(from, e)
	:: link(from, HOME)?LANDED, e, h, n -> place_result(from, e)
	:: link(from, HOME)?MOVED, e, h, n ->
		if
		:: lent && e == epoch && (h > hops || fault(ANY_MOVE)) ->
			hops = h;
			holder = n;
			via = from;
			if
			:: !fault(MOVED_TO_DEAD) -> look_for()
			:: else
			fi
		:: else
		fi
	:: link(from, HOME)?GONE, e, h, n ->
		if
		:: lent && e == epoch && holder == from -> replace()
		:: else
		fi
	:: link(from, HOME)?GRANT, e, h, n ->
		has[HOME].record[e] = h + 1;
		if
		:: lent && e == epoch -> holder = HOME; via = HOME; hops = h
		:: else
		fi
	fi
}

/* A copy of the record at home is run, or lent again. */
inline home_works(to) {
	if
	:: has[HOME].record[epoch] && lent ->
		has[HOME].record[epoch] = 0;
		lent = false
	:: has[HOME].record[epoch] && lent && passes < PASSES &&
	   !knows[HOME].dead[to] ->
		passes++;
		hops = has[HOME].record[epoch] - 1;
		link(HOME, to)!GRANT, epoch, hops, 0;
		has[HOME].record[epoch] = 0;
		holder = to;
		via = HOME
	fi
}

/*
 * What the home does about node @i. Its transport may find that the sender of a
 * result is lost before a view says so.
 */
#define home_steps(i) \
	:: atomic { !knows[HOME].dead[i] && nempty(link(i, HOME)) -> \
		home_takes(i) } \
	:: atomic { dead[i] && !knows[HOME].dead[i] -> \
		knows[HOME].dead[i] = true; look_for() } \
	:: atomic { lent && lands == i && dead[i] -> run_again() } \
	:: atomic { lent && has[HOME].record[epoch] -> home_works(i) }

active proctype home() {
	byte e, h, n;

	link(HOME, 1)!GRANT, 1, 0, 0;
	do
	home_steps(1)
	home_steps(2)
	home_steps(3)
	:: !lent -> break
	od
}

inline takes(me, from) {
	if
	:: link(from, me)?GRANT, e, h, n -> has[me].record[e] = h + 1
	:: link(from, me)?WHERE, e, h, n ->
		if
		:: !has[me].record[e] && !fault(NO_GONE) ->
			link(me, HOME)!GONE, e, 0, 0
		:: else
		fi
	fi
}

/* The node has run its record of epoch @e. A large result leaves later, */
inline returns(me, e) {
	link(me, HOME)!RESULT, e, 0, 0;
	has[me].record[e] = 0;
	sends = (LARGE -> e : 0)
}

/* or passes it on to node @to: the GRANT follows later. */
inline passes_on(me, e, to) {
	passes++;
	h = has[me].record[e];
	link(me, HOME)!MOVED, e, h, to;
	has[me].record[e] = 0;
	moved = e;
	moved_to = to
}

/* What node @me does with a record of epoch @e, and about node @other. */
#define record_steps(e) \
	:: atomic { !dead[me] && !moved && !sends && has[me].record[e] -> \
		returns(me, e) } \
	:: atomic { !dead[me] && !moved && has[me].record[e] && \
		passes < PASSES && !knows[me].dead[a] -> passes_on(me, e, a) } \
	:: atomic { !dead[me] && !moved && has[me].record[e] && \
		passes < PASSES && !knows[me].dead[b] -> passes_on(me, e, b) }
#define node_steps(other) \
	:: atomic { !dead[me] && !moved && !knows[me].dead[other] && \
		nempty(link(other, me)) -> takes(me, other) } \
	:: atomic { !dead[me] && dead[other] && !knows[me].dead[other] -> \
		knows[me].dead[other] = true }

proctype thief(byte me; byte a; byte b) {
	byte e, h, n, moved, moved_to, sends;

	do
	node_steps(HOME)
	node_steps(a)
	node_steps(b)
	record_steps(1)
	record_steps(2)
	record_steps(3)
	record_steps(4)
	record_steps(5)
	:: atomic { !dead[me] && moved ->
		link(me, moved_to)!GRANT, moved, h, 0; moved = 0 }
	:: atomic { !dead[me] && sends ->
		link(me, HOME)!LANDED, sends, 0, 0; sends = 0 }
	:: atomic { !dead[me] && deaths < DEATHS && lent ->
		deaths++; dead[me] = true; break }
	:: !lent -> break
	od
}

/* At some time no more nodes die: a home must not need another death. */
init {
	atomic { run thief(1, 2, 3); run thief(2, 3, 1); run thief(3, 1, 2) }
	atomic { deaths = DEATHS }
}
