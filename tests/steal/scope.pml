/*
 * scope.pml: a model of the closing of a scope (STN_CLOSE; search/service.c,
 * search/spread.c). Node 0 has spawned a few calls, and the key of a call is its
 * number. Some calls are solutions; a solution closes the scope at its key and
 * all higher keys, and a call whose key is closed is skipped. Calls are run at
 * home, or sent to another node, which runs them or passes them on. A node that
 * is not the home may die; then the home runs the calls again that the node may
 * have held.
 *
 * Spin finds a run in which all results are home, but the home does not know the
 * first solution, and a run that never ends because all nodes wait.
 *
 * The variable best is the incumbent; told and waiting are those of
 * struct stn_bound_peer. The nodes are a tree whose root is the home, as in a
 * cluster. Messages from one node to another stay in order. model.t runs the
 * model.
 */

/* With one of these faults, chosen by -DFAULT=, the check must fail. */
#define NOT_SHOWN 1 /* a result is sent without the incumbent that has cut the call */
#define OVERWRITTEN 2 /* an incumbent that arrives replaces an earlier one */
#define CLOSED_BEFORE 3 /* a solution closes the scope at lower keys, too */
#define LAST_KEY 4 /* an open scope is closed at the highest key */

#ifndef FAULT
#define FAULT 0
#endif
#define fault(name) (FAULT == name)
#ifndef DEATHS
#define DEATHS 1
#endif
#define NODES 3
#define CALLS 2
#define OPEN CALLS
#define NONE 255
#define LINK(from, to) link[(from) * NODES + (to)]
#define PEER(of) ((me) * NODES + (of))

mtype = { IMPROVE, HAVE, RECORD, RESULT };

/* The kind; a value or a call; whether an answer is wanted. */
chan link[NODES * NODES] = [8] of { mtype, byte, bool };

bool solves[CALLS];
byte best[NODES] = OPEN;
byte told[NODES * NODES] = OPEN;
bool waiting[NODES * NODES];
bool dead[NODES];
bool done[CALLS];
bool here[CALLS]; /* queued at home */
bool away[CALLS]; /* was sent to another node */
byte deaths = 0;

inline send(to, kind, value, answer)
{
	if
	:: dead[to]
	:: else -> LINK(me, to)!kind, value, answer
	fi
}

/* Tells the neighbours: the home tells all, the others tell the home. */
inline tell(to)
{
	if
	:: !dead[to] && !waiting[PEER(to)] && told[PEER(to)] != best[me] ->
		waiting[PEER(to)] = true;
		told[PEER(to)] = best[me];
		send(to, IMPROVE, best[me], true)
	:: else
	fi
}

inline spread()
{
	if
	:: best[me] == OPEN
	:: else ->
		if
		:: me == 0 -> tell(1); tell(2)
		:: else -> tell(0)
		fi
	fi
}

/* Before a record or a result. */
inline show_to(to)
{
	if
	:: told[PEER(to)] != best[me] ->
		told[PEER(to)] = best[me];
		send(to, IMPROVE, best[me], false)
	:: else
	fi
}

inline take(from, value, answer)
{
	if
	:: answer -> send(from, HAVE, 0, false)
	:: else
	fi;
	if
	:: value < best[me] || fault(OVERWRITTEN) ->
		best[me] = value;
		told[PEER(from)] = value;
		spread()
	:: else ->
		if
		:: value == best[me] -> told[PEER(from)] = value
		:: else
		fi;
		spread()
	fi
}

inline is_closed(seen, key)
{
	if
	:: fault(CLOSED_BEFORE) -> closed = seen != OPEN
	:: fault(LAST_KEY) -> closed = seen <= key || key == CALLS - 1
	:: else -> closed = seen <= key
	fi
}

/* The incumbent when a call begins may be older than when it ends. */
inline run_call(call)
{
	is_closed(best[me], call);
	running = call
}

inline end_call()
{
	if
	:: !closed && solves[running] && running < best[me] ->
		best[me] = running;
		spread()
	:: else
	fi;
	if
	:: me == 0 -> done[running] = true
	:: else ->
		if
		:: !fault(NOT_SHOWN) -> show_to(0)
		:: else
		fi;
		send(0, RESULT, running, false)
	fi;
	running = NONE
}

inline lend(call, to)
{
	show_to(to);
	send(to, RECORD, call, false)
}

inline receive(from)
{
	LINK(from, me)?kind, value, answer;
	if
	:: kind == IMPROVE -> take(from, value, answer)
	:: kind == HAVE -> waiting[PEER(from)] = false; spread()
	:: kind == RECORD && running == NONE -> run_call(value)
	:: kind == RECORD && running != NONE -> lend(value, 3 - me)
	:: kind == RESULT -> done[value] = true
	fi;
	value = 0;
	answer = false
}

proctype thief(byte me)
{
	byte running = NONE, value = 0;
	bool answer = false, closed = false;
	mtype kind;

end:	do
	/* A node that runs a call passes a record on. */
	:: atomic {
		!dead[me] && (running == NONE || !dead[3 - me]) &&
			nempty(LINK(0, me)) -> receive(0)
	   }
	:: atomic {
		!dead[me] && (running == NONE || !dead[3 - me]) &&
			nempty(LINK(3 - me, me)) -> receive(3 - me)
	   }
	:: atomic { !dead[me] && running != NONE -> end_call() }
	od
}

/*
 * A node dies, with what is on its links. All calls that may be elsewhere are
 * run again, also those that another node has.
 */
inline bury(rank)
{
	dead[rank] = true;
	do
	:: nempty(LINK(rank, 0)) -> LINK(rank, 0)?_, _, _
	:: empty(LINK(rank, 0)) -> break
	od;
	do
	:: nempty(LINK(0, rank)) -> LINK(0, rank)?_, _, _
	:: empty(LINK(0, rank)) -> break
	od;
	do
	:: nempty(LINK(rank, 3 - rank)) -> LINK(rank, 3 - rank)?_, _, _
	:: empty(LINK(rank, 3 - rank)) -> break
	od;
	do
	:: nempty(LINK(3 - rank, rank)) -> LINK(3 - rank, rank)?_, _, _
	:: empty(LINK(3 - rank, rank)) -> break
	od;
	here[0] = here[0] || (away[0] && !done[0]);
	here[1] = here[1] || (away[1] && !done[1])
}

proctype home()
{
	byte me = 0, running = NONE, value = 0, call, to;
	bool answer = false, closed = false;
	mtype kind;

	do
	:: atomic { nempty(LINK(1, me)) -> receive(1) }
	:: atomic { nempty(LINK(2, me)) -> receive(2) }
	:: atomic { running != NONE -> end_call() }
	:: atomic {
		here[0] || here[1] ->
		if
		:: here[0] -> call = 0
		:: here[1] -> call = 1
		fi;
		if
		:: running == NONE -> here[call] = false; run_call(call)
		:: !dead[1] -> away[call] = true; here[call] = false; lend(call, 1)
		:: !dead[2] -> away[call] = true; here[call] = false; lend(call, 2)
		fi;
		call = 0
	   }
	:: atomic { deaths < DEATHS -> deaths++; if :: bury(1) :: bury(2) fi }
	:: done[0] && done[1] && running == NONE -> break
	od;
	/* The first solution, or none. */
	assert(best[0] == (solves[0] -> 0 : (solves[1] -> 1 : OPEN)))
}

init {
	atomic {
		if :: solves[0] = true :: skip fi;
		if :: solves[1] = true :: skip fi;
		here[0] = true;
		here[1] = true;
		run home();
		run thief(1);
		run thief(2)
	}
}
