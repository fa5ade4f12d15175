/*
 * chs.pml: the requests of the balancer chs when nodes die, leave or join
 * (steal/balancers/chs.c, parked.c, requests.c and thief.c), as a model for
 * Spin. model.t runs the model.
 *
 * The nodes below FIRST are one cluster, the others another. Each node applies
 * the CHANGES one after the other, at any later time: until then it asks by its
 * old tree. In the worst case no node has a record, so every request waits for
 * the end of a search. GRANTS requests get a record nevertheless. LEAVES of the
 * changes tell a node to leave: it cancels, refuses, and may die like others.
 * Messages from one node to another keep their order.
 *
 * When nothing happens any more, no living node may have a request out or
 * parked: so each request was answered, or dropped with its sender, and no
 * nodes wait for each other in a circle. Before a node asks above, each of its
 * children must have refused since the last change, or wait here.
 *
 * Requests do not carry the number of their sender's view. They need not: in
 * all views a parent's rank is lower than its children's, so a request of an
 * old view can't close a circle. With the fault ANY_ORDER, Spin finds one.
 */
#ifndef CHANGES
#define CHANGES 2
#endif
#ifndef SEARCHES /* how often an idle worker asks, in all */
#define SEARCHES 2
#endif
#ifndef FANOUT
#define FANOUT 1
#endif
#ifndef FIRST
#define FIRST NODES /* one cluster only */
#endif
#ifndef RESERVED /* a bit for each node that may join */
#define RESERVED 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef GRANTS
#define GRANTS 0
#endif

/* With one of these faults, chosen by -DFAULT=, the check must fail. */
#define ANY_ORDER 1 /* a view that turns the order of the nodes round */
#define UP_WAITS 2 /* a node that asks above and parks requests from above */
#define NO_LOST 3 /* a node that waits for an answer of a dead node */
#define NEXT_CHILD 4 /* a refusal that ends the look at a child of a new view */
#ifndef FAULT
#define FAULT 0
#endif
#define fault(name) (FAULT == name)

#define NODES 4
#define NOBODY 255

mtype = { REQUEST, REFUSE, GRANT, CANCEL };

chan from_to[16] = [3] of { mtype };
#define link(from, to) from_to[(from) * NODES + (to)]

/* Sets of nodes have a bit for each. */
#define has(nodes, i) ((nodes) & 1 << (i))
#define add(nodes, i) nodes = nodes | 1 << (i)
#define remove(nodes, i) nodes = nodes & ~(1 << (i))

byte dead, leaving, joined = 15 & ~(RESERVED);
byte views, change[CHANGES]; /* the node that dies or joins; NODES + the
			      * node that leaves */
byte searches = SEARCHES, leaves = LEAVES, grants = GRANTS;
#define works(i) (has(joined, i) && !has(dead, i))

/* What each node knows, and its place in the tree. */
byte view[NODES], members[NODES], gone[NODES], going[NODES];
byte children[NODES], below[NODES], above[NODES]; /* below: leavers, too */
#define leaves_now(me) has(going[me], me)
#define stays(me, i) (has(members[me], i) && !has(going[me], i))

/* Its search. */
byte out[NODES];    /* the node that it has asked, or NOBODY */
byte next[NODES];   /* the next to ask below has this rank, or a higher one */
byte looked[NODES]; /* children that have refused since the last change */
byte parked[NODES]; /* the nodes whose requests are parked here */
byte idle, up, cancelled, old;

#define cluster(i) ((i) >= FIRST)
#define number_of(i) (fault(ANY_ORDER) && view[me] -> NODES - 1 - (i) : (i))

/* chs_place_of: finds the node's children and the node above. */
inline find_place(me) {
	d_step {
		children[me] = 0;
		above[me] = NOBODY;
		i = 0;
		mine = 0;
		do
		:: i < number_of(me) ->
			mine = mine + (stays(me, number_of(i)) &&
				cluster(number_of(i)) == cluster(me));
			i++
		:: else -> break
		od;
		i = 0;
		count = 0;
		do
		:: i < NODES && stays(me, number_of(i)) &&
		   cluster(number_of(i)) == cluster(me) ->
			if
			:: count && (count - 1) / FANOUT == mine ->
				add(children[me], number_of(i))
			:: mine && (mine - 1) / FANOUT == count ->
				above[me] = number_of(i)
			:: else
			fi;
			count++;
			i++
		:: i < NODES && has(members[me], number_of(i)) &&
		   cluster(number_of(i)) != cluster(me) ->
			/* the other cluster's root */
			above[me] = (!mine && (above[me] == NOBODY ||
				has(going[me], above[me]) &&
				stays(me, number_of(i))) ->
				number_of(i) : above[me]);
			i++
		:: i < NODES && (!has(members[me], number_of(i)) ||
		   cluster(number_of(i)) == cluster(me) &&
		   has(going[me], number_of(i))) -> i++
		:: i == NODES -> break
		od;
		below[me] = children[me];
		i = 0;
		do /* its share of the nodes that leave */
		:: i < NODES && has(members[me] & going[me], number_of(i)) &&
		   cluster(number_of(i)) == cluster(me) ->
			if
			:: count && leavers % count == mine ->
				add(below[me], number_of(i))
			:: else
			fi;
			leavers++;
			i++
		:: i < NODES && !(has(members[me] & going[me], number_of(i)) &&
		   cluster(number_of(i)) == cluster(me)) -> i++
		:: i == NODES -> break
		od;
		i = 0; mine = 0; count = 0; leavers = 0
	}
}

inline say(me, to, kind) {
	if
	:: has(dead, to)
	:: else -> link(me, to)!kind
	fi
}

/* stn_parked_end */
inline refuse_parked(me) {
	i = 0;
	do
	:: i < NODES && has(parked[me], i) -> say(me, i, REFUSE); i++
	:: i < NODES && !has(parked[me], i) -> i++
	:: i == NODES -> break
	od;
	i = 0;
	parked[me] = 0
}

inline ask(me, i) {
	out[me] = i;
	say(me, i, REQUEST)
}

#define asks_child(me) (has(below[me], next[me]) && \
	!has(parked[me], next[me]))
#define asks_above(me) (above[me] != NOBODY && \
	(has(idle, me) || parked[me] & children[me]))

/* stn_decide_idle with chs_idle, if no request is out */
inline search(me) {
	do
	:: leaves_now(me) -> refuse_parked(me); break
	:: !leaves_now(me) && next[me] < NODES && asks_child(me) ->
		ask(me, next[me]);
		break
	:: !leaves_now(me) && next[me] < NODES && !asks_child(me) ->
		next[me]++
	:: !leaves_now(me) && next[me] == NODES && asks_above(me) ->
		assert(!(children[me] & ~(looked[me] | parked[me] | leaving)));
		add(up, me);
		ask(me, above[me]);
		break
	:: !leaves_now(me) && next[me] == NODES && !asks_above(me) ->
		next[me] = 0;
		looked[me] = 0;
		refuse_parked(me);
		break
	od
}

inline end_search(me) {
	next[me] = 0;
	looked[me] = 0;
	remove(up, me);
	remove(old, me)
}

/* A refusal of a request that was sent by an old tree says nothing. */
inline next_child(me, from) {
	if
	:: has(old, me) && !fault(NEXT_CHILD)
	:: else ->
		do
		:: next[me] < NODES && !has(below[me], next[me]) ->
			next[me]++
		:: else -> break
		od;
		next[me] = (next[me] < NODES -> next[me] + 1 : NODES);
		add(looked[me], from)
	fi;
	remove(old, me)
}

/* thief_not_granted with chs_refused */
inline refused(me, from) {
	out[me] = NOBODY;
	if
	:: !has(cancelled, me) && !has(up, me) ->
		next_child(me, from);
		search(me)
	:: else ->
		end_search(me);
		remove(cancelled, me);
		refuse_parked(me)
	fi
}

/* The record is kept, or goes to a parked request. */
inline granted(me) {
	out[me] = NOBODY;
	end_search(me);
	remove(cancelled, me);
	if
	:: has(idle, me) || !parked[me] -> remove(idle, me)
	:: else ->
		do
		:: has(parked[me], i) -> break
		:: !has(parked[me], i) -> i++
		od;
		remove(parked[me], i);
		say(me, i, GRANT);
		i = 0
	fi
}

/* chs_waits */
#define waits(me, from) (!leaves_now(me) && (has(children[me], from) || \
	!has(up, me) || fault(UP_WAITS)))

inline asked(me, from) {
	if
	:: grants -> grants--; say(me, from, GRANT)
	:: waits(me, from) -> add(parked[me], from)
	:: !waits(me, from) -> say(me, from, REFUSE)
	fi
}

inline receive(me, from) {
	if
	:: link(from, me)?REQUEST -> asked(me, from)
	:: link(from, me)?REFUSE -> assert(out[me] == from); refused(me, from)
	:: link(from, me)?GRANT -> assert(out[me] == from); granted(me)
	:: link(from, me)?CANCEL ->
		if
		:: has(parked[me], from) ->
			remove(parked[me], from);
			say(me, from, REFUSE)
		:: else
		fi
	fi
}

/* stn_parked_progress: refuses requests that must not wait any more. */
#define stale(me) (has(up, me) && !fault(UP_WAITS) -> \
	parked[me] & ~children[me] : 0)
inline look_after(me) {
	do
	:: i < NODES && has(stale(me), i) ->
		remove(parked[me], i);
		say(me, i, REFUSE);
		i++
	:: i < NODES && !has(stale(me), i) -> i++
	:: i == NODES -> break
	od;
	i = 0;
	if
	:: parked[me] && out[me] == NOBODY -> search(me)
	:: else
	fi
}

/* stn_leave */
inline leave(me) {
	if
	:: out[me] != NOBODY ->
		add(cancelled, me);
		say(me, out[me], CANCEL)
	:: else
	fi
}

/* steal_died, steal_joined, steal_leaving */
inline apply_view(me) {
	other = change[view[me]];
	view[me]++;
	next[me] = 0;
	looked[me] = 0;
	if
	:: out[me] != NOBODY -> add(old, me)
	:: else
	fi;
	if
	:: other >= NODES ->
		other = other - NODES;
		add(going[me], other);
		find_place(me);
		if
		:: other == me -> leave(me)
		:: else
		fi
	:: other < NODES && has(members[me], other) ->
		remove(members[me], other);
		add(gone[me], other);
		find_place(me);
		if
		:: out[me] == other && !fault(NO_LOST) -> refused(me, other)
		:: else
		fi;
		remove(parked[me], other)
	:: other < NODES && !has(members[me], other) ->
		add(members[me], other);
		find_place(me)
	fi;
	refuse_parked(me);
	other = 0
}

#define lives(me) (works(me) && has(members[me], me))
#define node_hears(from) \
	:: atomic { works(me) && !has(gone[me], from) && \
		nempty(link(from, me)) -> receive(me, from) }

proctype node(byte me) {
	byte i, mine, count, leavers, other;

	atomic { find_place(me) }
end:	do
	:: atomic { lives(me) && searches && out[me] == NOBODY &&
		!leaves_now(me) ->
		searches--;
		add(idle, me);
		search(me) }
	node_hears(0)
	node_hears(1)
	node_hears(2)
	node_hears(3)
	:: atomic { works(me) && parked[me] &&
		(out[me] == NOBODY || stale(me)) -> look_after(me) }
	:: atomic { works(me) && view[me] < views -> apply_view(me) }
	od
}

inline change_view(i) {
	change[views] = i;
	views++
}

/* No node below the lowest that lives may join. */
#define changes(i) \
	:: atomic { views < CHANGES && works(i) -> \
		add(dead, i); change_view(i) } \
	:: atomic { views < CHANGES && leaves && works(i) && \
		!has(leaving, i) -> \
		leaves--; add(leaving, i); change_view(NODES + (i)) } \
	:: atomic { views < CHANGES && !has(joined, i) && \
		joined & ~dead & (1 << i) - 1 -> \
		add(joined, i); change_view(i) }

proctype sequencer() {
end:	do
	changes(0)
	changes(1)
	changes(2)
	changes(3)
	od
}

init {
	byte i;

	atomic {
		do
		:: i < NODES ->
			out[i] = NOBODY;
			members[i] = joined;
			run node(i);
			i++
		:: i == NODES -> break
		od;
		run sequencer();
		i = 0
	}
	timeout;
	do
	:: i < NODES ->
		assert(!works(i) || (out[i] == NOBODY && !parked[i]));
		i++
	:: i == NODES -> break
	od
}
