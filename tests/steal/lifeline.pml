/*
 * lifeline.pml: the lifelines of the balancer lrs (lrs.c and lrs_lifelines.c in
 * steal/balancers, parked.c, requests.c and thief.c) when nodes die, leave or
 * join, as a model for Spin. model.t runs the model.
 *
 * An idle node sends lifelines to the nodes 2 i and 2 i + 1, where i is its
 * number among the nodes that it knows to live. A victim without a spare record
 * parks the request. It answers when it has a spare record, when the lifeline's
 * time is over (unless TIMES is 0), or when the thief cancels. A thief that gets
 * a record cancels its other lifelines; an answer may cross a CANCEL. TIES
 * limits how many lifelines are sent in all, SPAWNS how many records are made.
 * Each node applies the CHANGES one after the other, at any later time. LEAVES
 * nodes cancel their lifelines, send no more, and then die like others. Records
 * of dead nodes are lent.pml's matter.
 *
 * Each lifeline has one answer, unless its victim dies. When nothing happens any
 * more and times end, no living node has a lifeline out or parked. If times
 * never end, each lifeline that is out is parked at its victim, and no node has
 * a spare record while a lifeline is parked there: so a node that gets work
 * always wakes the nodes that wait for it.
 */
#ifndef CHANGES
#define CHANGES 1
#endif
#ifndef TIES
#define TIES 3
#endif
#ifndef SPAWNS
#define SPAWNS 2
#endif
#ifndef RESERVED /* a bit for each node that may join */
#define RESERVED 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef TIMES
#define TIMES 1
#endif

/* With one of these faults, chosen by -DFAULT=, the check must fail. */
#define NO_LOOK 1 /* a spawn that does not look at the parked requests */
#define PARKS_FIRST 2 /* a request that is parked although a record waits */
#define CANCEL_ENDS 3 /* a thief that expects no answer after a CANCEL */
#define NO_LOST 4 /* a node that waits for an answer of a dead node */
#define KEEPS_DEAD 5 /* a request that stays parked after its thief's death */
#ifndef FAULT
#define FAULT 0
#endif
#define fault(name) (FAULT == name)

#define NODES 3

mtype = { REQUEST, REFUSE, GRANT, CANCEL };

chan from_to[9] = [4] of { mtype };
#define link(from, to) from_to[(from) * NODES + (to)]

/* Sets of nodes have a bit for each. */
#define has(nodes, i) ((nodes) & 1 << (i))
#define add(nodes, i) nodes = nodes | 1 << (i)
#define remove(nodes, i) nodes = nodes & ~(1 << (i))

byte dead, leaving, joined = 7 & ~(RESERVED);
byte views, change[CHANGES + 1]; /* the node that dies, leaves or joins */
byte ties = TIES, spawns = SPAWNS, leaves = LEAVES;
#define works(i) (has(joined, i) && !has(dead, i))

/* What each node knows. */
byte view[NODES], members[NODES], gone[NODES];

byte out[NODES];       /* the nodes to which it has lifelines, */
byte cancelled[NODES]; /* and those of them that it has cancelled */
byte parked[NODES];    /* the nodes whose requests are parked here */
byte spare[NODES];     /* records that wait here */
byte busy;	       /* the nodes that run a record */

inline say(me, to, kind) {
	if
	:: has(dead, to)
	:: else -> link(me, to)!kind
	fi
}

/* stn_parked_spawned: grants spare records to parked requests. */
inline serve(me) {
	i = 0;
	do
	:: i < NODES && spare[me] && has(parked[me], i) ->
		remove(parked[me], i);
		spare[me]--;
		say(me, i, GRANT);
		i++
	:: i < NODES && !(spare[me] && has(parked[me], i)) -> i++
	:: i == NODES -> break
	od;
	i = 0
}

/* stn_request_cancel_lifelines */
inline cancel(me) {
	i = 0;
	do
	:: i < NODES && has(out[me], i) && !has(cancelled[me], i) ->
		say(me, i, CANCEL);
		if
		:: fault(CANCEL_ENDS) -> remove(out[me], i)
		:: else -> add(cancelled[me], i)
		fi;
		i++
	:: i < NODES && !(has(out[me], i) && !has(cancelled[me], i)) -> i++
	:: i == NODES -> break
	od;
	i = 0
}

inline answered(me, from) {
	assert(has(out[me], from));
	remove(out[me], from);
	remove(cancelled[me], from)
}

/* The node runs the record if it is idle, and else keeps it. */
inline granted(me, from) {
	answered(me, from);
	if
	:: has(busy, me) -> spare[me]++
	:: else -> add(busy, me)
	fi;
	cancel(me);
	serve(me)
}

inline asked(me, from) {
	if
	:: spare[me] && !fault(PARKS_FIRST) ->
		spare[me]--;
		say(me, from, GRANT)
	:: else -> add(parked[me], from)
	fi
}

inline receive(me, from) {
	if
	:: link(from, me)?REQUEST -> asked(me, from)
	:: link(from, me)?REFUSE -> answered(me, from)
	:: link(from, me)?GRANT -> granted(me, from)
	:: link(from, me)?CANCEL ->
		if
		:: has(parked[me], from) ->
			remove(parked[me], from);
			say(me, from, REFUSE)
		:: else
		fi
	fi
}

/* fixed_victim: finds @which of the victims of @me, or @me itself. */
inline find_victim(me, which) {
	d_step {
		count = 0;
		mine = 0;
		i = 0;
		do
		:: i < NODES ->
			mine = mine + (i < me && has(members[me], i));
			count = count + (has(members[me], i) -> 1 : 0);
			i++
		:: else -> break
		od;
		other = (2 * mine + which) % count;
		other = (other == mine -> (mine + 1) % count : other);
		i = 0;
		do
		:: has(members[me], i) && !other -> break
		:: has(members[me], i) && other -> other--; i++
		:: !has(members[me], i) -> i++
		od;
		other = i;
		i = 0; mine = 0; count = 0
	}
}

/* tie */
inline tie(me, which) {
	find_victim(me, which);
	if
	:: other != me && !has(out[me], other) ->
		ties--;
		add(out[me], other);
		say(me, other, REQUEST)
	:: else
	fi;
	other = 0
}

/* steal_died, steal_joined */
inline apply_view(me) {
	other = change[view[me]];
	view[me]++;
	if
	:: has(members[me], other) ->
		remove(members[me], other);
		add(gone[me], other);
		if
		:: has(out[me], other) && !fault(NO_LOST) ->
			answered(me, other)
		:: else
		fi;
		if
		:: !fault(KEEPS_DEAD) -> remove(parked[me], other)
		:: else
		fi
	:: else -> add(members[me], other)
	fi;
	other = 0
}

#define lives(me) (works(me) && has(members[me], me))
#define waits(me) (lives(me) && !has(busy, me) && !has(leaving, me))
#define node_hears(from) \
	:: atomic { works(me) && !has(gone[me], from) && \
		nempty(link(from, me)) -> receive(me, from) }

/* A parked request has waited for its time. */
#define time_ends(from) \
	:: atomic { TIMES && works(me) && has(parked[me], from) -> \
		remove(parked[me], from); say(me, from, REFUSE) }

proctype node(byte me) {
	byte i, mine, count, other;

end:	do
	:: atomic { waits(me) && ties -> tie(me, 0) }
	:: atomic { waits(me) && ties -> tie(me, 1) }
	node_hears(0)
	node_hears(1)
	node_hears(2)
	:: atomic { works(me) && has(busy, me) && spawns ->
		spawns--;
		spare[me]++;
		if
		:: !fault(NO_LOOK) -> serve(me)
		:: else
		fi }
	/*
	 * The record ends, but main does not: the node runs the next one, or is
	 * idle.
	 */
	:: atomic { works(me) && has(busy, me) && me ->
		if
		:: spare[me] -> spare[me]--
		:: else -> remove(busy, me)
		fi }
	time_ends(0)
	time_ends(1)
	time_ends(2)
	:: atomic { works(me) && view[me] < views -> apply_view(me) }
	:: atomic { lives(me) && leaves && !has(leaving, me) ->
		leaves--;
		add(leaving, me);
		cancel(me) }
	/* A record that comes to a node that leaves is served or goes home. */
	:: atomic { works(me) && has(leaving, me) && spare[me] ->
		spare[me]-- }
	od
}

inline change_view(i) {
	change[views] = i;
	views++
}

/* No node below the lowest that lives may join. */
#define changes(i) \
	:: atomic { views < CHANGES && works(i) && joined & ~dead & ~(1 << i) -> \
		add(dead, i); change_view(i) } \
	:: atomic { views < CHANGES && !has(joined, i) && \
		joined & ~dead & (1 << i) - 1 -> \
		add(joined, i); change_view(i) }

proctype sequencer() {
end:	do
	changes(0)
	changes(1)
	changes(2)
	od
}

init {
	byte i, j;

	atomic {
		do
		:: i < NODES ->
			members[i] = joined;
			run node(i);
			i++
		:: i == NODES -> break
		od;
		add(busy, 0); /* runs main */
		run sequencer();
		i = 0
	}
	timeout;
	do
	:: i < NODES && works(i) ->
		assert(!(parked[i] & dead));
		assert(!TIMES || (!out[i] && !parked[i]));
		assert(!(spare[i] && parked[i]));
		j = 0;
		do
		:: j < NODES ->
			assert(!has(out[i], j) || has(parked[j], i));
			j++
		:: else -> break
		od;
		i++
	:: i < NODES && !works(i) -> i++
	:: i == NODES -> break
	od
}
