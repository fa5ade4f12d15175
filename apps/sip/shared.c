#include "apps/sip/shared.h"

#include <stdlib.h>

#define CANDIDATE_BITS 12 /* of a vertex's number in a key */
#define WHOLE (-1)	  /* no candidate: the state is searched as it is */

/* The number of solutions below a state, and of tries. */
struct sum {
	uint64_t solutions, tries;
};

/* A search below the tasks. */
struct shared_hunt {
	struct sip_hunt hunt; /* first: the functions below cast it */
	struct stn_frame *frame;
	struct stn_bound scope; /* only if the search is for one solution */
	const struct stn_incumbent *at;
	uint64_t key;
	uint64_t solutions;
};

/* The problem, as tasks get it: each node gets it once. */
static struct stn_const
pass_problem(STN_FRAME, const struct sip_problem *problem)
{
	return STN_CONST(problem, sip_problem_bytes(problem));
}

static const struct sip_problem *
problem_of(STN_FRAME, struct stn_const problem)
{
	return STN_CONST_AT(problem);
}

static struct stn_in
pass_state(const struct sip_problem *p, const struct sip_state *state)
{
	return STN_IN((const unsigned char *)state, sip_state_bytes(p));
}

/*
 * A copy of @state after the next vertex was mapped to @candidate; NULL: there
 * is no solution below.
 */
static struct sip_state *
descend(const struct sip_problem *p, const struct sip_state *state,
	int32_t candidate)
{
	struct sip_state *below = sip_state_new(p, state);

	if (candidate == WHOLE)
		return below;
	below->choices++;
	if (sip_map(p, below, sip_pick(p, below), candidate))
		return below;
	free(below);
	return NULL;
}

/* The candidates of the next vertex, in search order. */
struct candidates {
	int count;
	uint16_t candidate[SIP_VERTICES_MOST];
};

static void
list_candidates(const struct sip_problem *p, struct sip_state *state,
		struct candidates *to)
{
	int vertex = sip_pick(p, state), candidate = -1;

	to->count = 0;
	while ((candidate = sip_next(p, state, vertex, candidate)) >= 0)
		to->candidate[to->count++] = (uint16_t)candidate;
}

/*
 * The units of progress are the first choices: the task that spawns them reports
 * their number, and each reports when it is done.
 */
static void
tell_first(STN_FRAME, const struct sip_state *state,
	   const struct candidates *next)
{
	if (!state->choices)
		STN_PROGRESS(0, (uint64_t)next->count);
}

static void
tell_done(STN_FRAME, const struct sip_state *state, int32_t candidate)
{
	STN_PROGRESS(!state->choices && candidate != WHOLE, 0);
}

static void
count_found(struct sip_hunt *hunt, struct sip_state *state)
{
	(void)state;
	((struct shared_hunt *)hunt)->solutions++;
}

static void
count_look(struct sip_hunt *hunt)
{
	STN_FRAME = ((struct shared_hunt *)hunt)->frame;

	STN_POLL(SIP_LOOK);
}

static struct sum
count_leaf(STN_FRAME, const struct sip_problem *p, struct sip_state *state)
{
	struct shared_hunt shared = { .hunt = { .problem = p,
						.found = count_found,
						.look = count_look },
				      .frame = stn_frame };

	sip_hunt_on(&shared.hunt, state);
	STN_WORK(shared.hunt.tries % SIP_LOOK);
	return (struct sum){ shared.solutions, shared.hunt.tries };
}

STN_TASK_FORWARD(struct sum, count_ways, struct stn_const, problem,
		 struct stn_in, state, int32_t, candidate, int32_t, depth);

static struct sum
count_by_tasks(STN_FRAME, struct stn_const problem, struct sip_state *state,
	       int32_t depth)
{
	const struct sip_problem *p = problem_of(STN_PASS_FRAME, problem);
	struct stn_in passed = pass_state(p, state);
	struct sum sum = { 0, 0 }, part;
	struct candidates next;

	list_candidates(p, state, &next);
	tell_first(STN_PASS_FRAME, state, &next);
	for (int i = next.count; i--;)
		STN_SPAWN(count_ways, problem, passed, next.candidate[i],
			  depth - 1);
	while (next.count--) {
		part = STN_SYNC(count_ways);
		sum.solutions += part.solutions;
		sum.tries += part.tries;
	}
	return sum;
}

STN_TASK_BODY(struct sum, count_ways, struct stn_const, problem, struct stn_in,
	      state, int32_t, candidate, int32_t, depth)
{
	const struct sip_problem *p = problem_of(STN_PASS_FRAME, problem);
	struct sip_state *mine = descend(p, state.at, candidate);
	struct sum sum = { 0, 0 };

	if (mine)
		sum = depth && mine->mapped < p->pattern
			      ? count_by_tasks(STN_PASS_FRAME, problem, mine,
					       depth)
			      : count_leaf(STN_PASS_FRAME, p, mine);
	free(mine);
	STN_WORK(candidate != WHOLE);
	tell_done(STN_PASS_FRAME, state.at, candidate);
	sum.tries += candidate != WHOLE;
	return sum;
}

static void
first_found(struct sip_hunt *hunt, struct sip_state *state)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	uint16_t to[SIP_PATTERN_MOST];
	STN_FRAME = shared->frame;

	sip_solution(hunt->problem, state, to);
	STN_CLOSE(shared->scope, shared->key, to,
		  (size_t)hunt->problem->pattern * sizeof(*to));
	hunt->stop = true;
}

static void
first_look(struct sip_hunt *hunt)
{
	struct shared_hunt *shared = (struct shared_hunt *)hunt;
	STN_FRAME = shared->frame;

	STN_POLL(SIP_LOOK);
	hunt->stop |= STN_CLOSED(shared->at, shared->key);
}

static uint64_t
first_leaf(STN_FRAME, const struct sip_problem *p, struct sip_state *state,
	   struct stn_bound scope, uint64_t key)
{
	struct shared_hunt shared = { .hunt = { .problem = p,
						.found = first_found,
						.look = first_look },
				      .frame = stn_frame,
				      .scope = scope,
				      .at = STN_BOUND_AT(scope),
				      .key = key };

	sip_hunt_on(&shared.hunt, state);
	STN_WORK(shared.hunt.tries % SIP_LOOK);
	return shared.hunt.tries;
}

STN_TASK_FORWARD(uint64_t, first_way, struct stn_const, problem, struct stn_in,
		 state, struct stn_bound, scope, uint64_t, key, int32_t,
		 candidate, int32_t, level, int32_t, depth);

static uint64_t
key_part(int32_t level, int32_t candidate)
{
	return (uint64_t)candidate << (64 - CANDIDATE_BITS * (level + 1));
}

/*
 * Spawns the last candidate first, so that a worker that nobody steals from
 * searches in search order.
 */
static uint64_t
first_by_tasks(STN_FRAME, struct stn_const problem, struct sip_state *state,
	       struct stn_bound scope, uint64_t key, int32_t level,
	       int32_t depth)
{
	const struct sip_problem *p = problem_of(STN_PASS_FRAME, problem);
	struct stn_in passed = pass_state(p, state);
	struct candidates next;
	uint64_t tries = 0;

	list_candidates(p, state, &next);
	tell_first(STN_PASS_FRAME, state, &next);
	for (int i = next.count; i--;)
		STN_SPAWN(first_way, problem, passed, scope,
			  key | key_part(level, next.candidate[i]),
			  next.candidate[i], level + 1, depth);
	while (next.count--)
		tries += STN_SYNC(first_way);
	return tries;
}

STN_TASK_BODY(uint64_t, first_way, struct stn_const, problem, struct stn_in,
	      state, struct stn_bound, scope, uint64_t, key, int32_t, candidate,
	      int32_t, level, int32_t, depth)
{
	const struct sip_problem *p = problem_of(STN_PASS_FRAME, problem);
	struct sip_state *mine;
	uint64_t tries = 0;

	if (STN_CLOSED(STN_BOUND_AT(scope), key)) {
		tell_done(STN_PASS_FRAME, state.at, candidate);
		return 0;
	}
	mine = descend(p, state.at, candidate);
	if (mine)
		tries = level < depth && mine->mapped < p->pattern
				? first_by_tasks(STN_PASS_FRAME, problem, mine,
						 scope, key, level, depth)
				: first_leaf(STN_PASS_FRAME, p, mine, scope,
					     key);
	free(mine);
	STN_WORK(candidate != WHOLE);
	tell_done(STN_PASS_FRAME, state.at, candidate);
	return tries + (candidate != WHOLE);
}

static void
count_shared(STN_FRAME, const struct sip_problem *p,
	     const struct sip_state *state, int depth,
	     struct sip_answer *answer)
{
	struct sum sum = STN_CALL(count_ways, pass_problem(STN_PASS_FRAME, p),
				  pass_state(p, state), WHOLE, depth);

	answer->solutions = sum.solutions;
	answer->tries = sum.tries;
}

static void
first_shared(STN_FRAME, const struct sip_problem *p,
	     const struct sip_state *state, int depth, struct show *show,
	     struct sip_answer *answer)
{
	struct stn_bound scope = STN_SCOPE();

	show->bytes = (size_t)p->pattern * sizeof(*answer->to);
	show_begin(STN_PASS_FRAME, show, scope);
	answer->tries =
		STN_CALL(first_way, pass_problem(STN_PASS_FRAME, p),
			 pass_state(p, state), scope, 0, WHOLE, 0, depth);
	show_end(show);
	answer->found = STN_SOLVED(scope, answer->to, show->bytes);
}

void
sip_shared(STN_FRAME, const struct sip_problem *problem, int depth, bool all,
	   struct show *show, struct sip_answer *answer)
{
	struct sip_state *state = sip_state_new(problem, NULL);
	bool open = sip_start(problem, state);

	*answer = (struct sip_answer){ 0 };
	if (depth > SIP_DEPTH_MOST)
		depth = SIP_DEPTH_MOST;
	if (open && all)
		count_shared(STN_PASS_FRAME, problem, state, depth, answer);
	else if (open)
		first_shared(STN_PASS_FRAME, problem, state, depth, show,
			     answer);
	STN_PROGRESS_END();
	free(state);
}

/* A search without tasks. */
struct lone_hunt {
	struct sip_hunt hunt; /* first: found casts it */
	struct sip_answer *answer;
	bool all;
};

static void
lone_found(struct sip_hunt *hunt, struct sip_state *state)
{
	struct lone_hunt *lone = (struct lone_hunt *)hunt;

	lone->answer->solutions++;
	if (lone->all)
		return;
	lone->answer->found = true;
	sip_solution(hunt->problem, state, lone->answer->to);
	hunt->stop = true;
}

static void
lone_look(struct sip_hunt *hunt)
{
	(void)hunt;
}

void
sip_alone(STN_FRAME, const struct sip_problem *problem, bool all,
	  struct sip_answer *answer)
{
	struct sip_state *state = sip_state_new(problem, NULL);
	struct lone_hunt lone = { .hunt = { .problem = problem,
					    .found = lone_found,
					    .look = lone_look },
				  .answer = answer,
				  .all = all };

	*answer = (struct sip_answer){ 0 };
	if (sip_start(problem, state))
		sip_hunt_on(&lone.hunt, state);
	answer->tries = lone.hunt.tries;
	STN_WORK(answer->tries);
	free(state);
}
