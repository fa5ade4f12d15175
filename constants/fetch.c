#include "constants/fetch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "constants/send.h"
#include "node/dispatch.h"
#include "node/sleep.h"

/* A record of this node, or another node, that needs a constant. */
struct waiter {
	STAILQ_ENTRY(waiter) link;
	uint32_t source; /* the node that has it */
	uint32_t asker;	 /* the other node; STN_NOBODY: a record */
	stn_done *done;
	void *arg;
};

STAILQ_HEAD(waiters, waiter);

/* A constant that this node lacks. */
struct stn_fetch {
	LIST_ENTRY(stn_fetch) link;
	struct stn_constants *constants;
	uint64_t hash;
	struct waiters waiters;
	uint32_t asked; /* the node that was asked, or STN_NOBODY */
	bool direct;	/* asks sources, not the head of this cluster */
	struct stn_constant *landing; /* the data are arriving, or NULL */
	uint32_t from;		      /* node that sends them */
	bool orphan; /* the sender has died; a new fetch has the waiters */
};

static struct stn_fetch *
find_fetch(const struct stn_constants *constants, uint64_t hash)
{
	struct stn_fetch *fetch;

	LIST_FOREACH (fetch, &constants->fetches, link)
		if (fetch->hash == hash)
			return fetch;
	return NULL;
}

static struct stn_fetch *
fetch_create(struct stn_constants *constants, uint64_t hash)
{
	struct stn_fetch *fetch = malloc(sizeof(*fetch));

	if (!fetch)
		stn_node_fail(constants->node, "out of memory");
	*fetch = (struct stn_fetch){ .constants = constants,
				     .hash = hash,
				     .asked = STN_NOBODY };
	STAILQ_INIT(&fetch->waiters);
	LIST_INSERT_HEAD(&constants->fetches, fetch, link);
	return fetch;
}

static void
fetch_free(struct stn_fetch *fetch)
{
	LIST_REMOVE(fetch, link);
	stn_node_wake(fetch->constants->node); /* it may be settled now */
	free(fetch);
}

/* The fetch has no waiters any more, or they get no answer. */
static void
fetch_forget(struct stn_fetch *fetch)
{
	struct waiter *waiter;

	while ((waiter = STAILQ_FIRST(&fetch->waiters))) {
		STAILQ_REMOVE_HEAD(&fetch->waiters, link);
		free(waiter);
	}
	free(fetch->landing);
	fetch_free(fetch);
}

void
stn_fetches_fini(struct stn_constants *constants)
{
	while (!LIST_EMPTY(&constants->fetches))
		fetch_forget(LIST_FIRST(&constants->fetches));
}

/* @constant is what the waiter waits for; NULL: it can't be had. */
static void
answer_waiter(struct stn_constants *constants, struct waiter *waiter,
	      uint64_t hash, const struct stn_constant *constant)
{
	const struct stn_members *members = &constants->node->members;

	if (waiter->asker == STN_NOBODY)
		waiter->done(waiter->arg, constant ? STN_OK : STN_LOST);
	else if (stn_members_lost(members, waiter->asker))
		; /* needs no answer */
	else if (constant)
		stn_constant_send(constants, constant, waiter->asker);
	else
		stn_constant_lack(constants, hash, waiter->asker);
	free(waiter);
}

/* The first waiter's source can't be asked. */
static void
give_up_first(struct stn_fetch *fetch)
{
	struct waiter *waiter = STAILQ_FIRST(&fetch->waiters);

	STAILQ_REMOVE_HEAD(&fetch->waiters, link);
	answer_waiter(fetch->constants, waiter, fetch->hash, NULL);
}

/* The node to ask for the sake of that waiter, or STN_NOBODY. */
static uint32_t
node_to_ask(const struct stn_fetch *fetch, const struct waiter *waiter)
{
	const struct stn_node *node = fetch->constants->node;
	uint32_t head = stn_members_at(&node->members, node->cluster, 0);

	if (waiter->source == node->rank ||
	    stn_members_lost(&node->members, waiter->source))
		return STN_NOBODY;
	if (fetch->direct || head == node->rank || head == STN_NOBODY ||
	    !stn_node_is_wide(node, waiter->source))
		return waiter->source;
	return head;
}

/* Asks a node, or ends the fetch if there is none to ask for any waiter. */
static void
fetch_ask(struct stn_fetch *fetch)
{
	struct stn_const_want want = { .hash = fetch->hash };
	struct waiter *waiter;

	fetch->asked = STN_NOBODY;
	while ((waiter = STAILQ_FIRST(&fetch->waiters))) {
		fetch->asked = node_to_ask(fetch, waiter);
		if (fetch->asked != STN_NOBODY)
			break;
		give_up_first(fetch);
	}
	if (!waiter) {
		fetch_free(fetch);
		return;
	}
	want.source = waiter->source;
	stn_node_say(fetch->constants->node, fetch->asked, STN_CONST_WANT,
		     &want, sizeof(want));
}

static void
add_waiter(struct stn_constants *constants, uint64_t hash,
	   const struct waiter *wanted)
{
	struct stn_fetch *fetch = find_fetch(constants, hash);
	struct waiter *waiter = malloc(sizeof(*waiter));
	bool new = !fetch;

	if (!waiter)
		stn_node_fail(constants->node, "out of memory");
	*waiter = *wanted;
	if (new)
		fetch = fetch_create(constants, hash);
	STAILQ_INSERT_TAIL(&fetch->waiters, waiter, link);
	/* Two nodes that take each other for the head must not wait. */
	if (waiter->asker != STN_NOBODY)
		fetch->direct = true;
	if (new)
		fetch_ask(fetch);
}

void
stn_constants_await(struct stn_constants *constants, uint64_t hash,
		    uint32_t source, stn_done *done, void *arg)
{
	const struct waiter waiter = {
		.source = source, .asker = STN_NOBODY, .done = done, .arg = arg
	};

	add_waiter(constants, hash, &waiter);
}

void
stn_fetch_want(struct stn_constants *constants, uint32_t from,
	       const struct stn_const_want *want)
{
	const struct waiter waiter = { .source = want->source, .asker = from };

	add_waiter(constants, want->hash, &waiter);
}

static void
fetch_done(struct stn_fetch *fetch, const struct stn_constant *constant)
{
	struct waiter *waiter;

	while ((waiter = STAILQ_FIRST(&fetch->waiters))) {
		STAILQ_REMOVE_HEAD(&fetch->waiters, link);
		answer_waiter(fetch->constants, waiter, fetch->hash, constant);
	}
	fetch_free(fetch);
}

/* The data have arrived. The program may have made the constant meanwhile. */
static void
fetch_complete(struct stn_fetch *fetch, struct stn_constant *landed)
{
	struct stn_constants *constants = fetch->constants;
	const struct stn_constant *known =
		stn_constant_find(&constants->known, fetch->hash);

	if (stn_constant_hash(landed->at, landed->bytes) != fetch->hash)
		stn_node_fail(constants->node,
			      "node %" PRIu32 " sent a constant that has "
			      "another hash",
			      fetch->from);
	constants->counts.unused += known != NULL;
	if (known)
		free(landed);
	else if (!stn_constant_add(&constants->known, landed))
		stn_node_fail(constants->node, "out of memory");
	fetch_done(fetch, known ? known : landed);
}

static void
constant_landed(void *arg, enum stn_err err)
{
	struct stn_fetch *fetch = arg;
	struct stn_constant *landed = fetch->landing;

	if (fetch->orphan) {
		free(landed);
		free(fetch);
		return;
	}
	stn_node_must_arrive(fetch->constants->node, "a constant", err);
	fetch->landing = NULL;
	if (!err) {
		fetch_complete(fetch, landed);
		return;
	}
	free(landed);
	fetch_ask(fetch);
}

static void
refuse_constant(struct stn_constants *constants,
		const struct stn_message *message)
{
	constants->counts.unused++;
	if (message->payload_bytes)
		stn_transport_refuse(constants->node->transport, message);
}

static void
take_constant(struct stn_fetch *fetch, const struct stn_message *message)
{
	struct stn_constants *constants = fetch->constants;
	struct iovec data = { NULL, message->payload_bytes };

	fetch->from = message->from;
	fetch->landing = stn_constant_create(fetch->hash, data.iov_len);
	if (!fetch->landing)
		stn_node_fail(constants->node,
			      "out of memory for a constant of %zu bytes",
			      data.iov_len);
	data.iov_base = fetch->landing->at;
	if (data.iov_len)
		stn_transport_take(constants->node->transport, message, &data,
				   1, constant_landed, fetch);
	else
		constant_landed(fetch, STN_OK);
}

void
stn_fetch_arrives(struct stn_constants *constants,
		  const struct stn_message *message, uint64_t hash)
{
	struct stn_fetch *fetch = find_fetch(constants, hash);

	constants->counts.arrived++;
	constants->counts.bytes += message->payload_bytes;
	if (fetch ? fetch->landing != NULL
		  : stn_constant_find(&constants->known, hash) != NULL) {
		refuse_constant(constants, message);
		return;
	}
	if (!fetch)
		fetch = fetch_create(constants, hash);
	take_constant(fetch, message);
}

void
stn_fetch_lacks(struct stn_constants *constants, uint32_t from, uint64_t hash)
{
	struct stn_fetch *fetch = find_fetch(constants, hash);

	if (!fetch || fetch->landing || fetch->asked != from)
		return; /* an earlier question's answer */
	if (from == STAILQ_FIRST(&fetch->waiters)->source)
		give_up_first(fetch);
	else
		fetch->direct = true;
	fetch_ask(fetch);
}

static void
forget_asker(struct stn_fetch *fetch, uint32_t rank)
{
	struct waiter *waiter, *next;

	for (waiter = STAILQ_FIRST(&fetch->waiters); waiter; waiter = next) {
		next = STAILQ_NEXT(waiter, link);
		if (waiter->asker != rank)
			continue;
		STAILQ_REMOVE(&fetch->waiters, waiter, waiter, link);
		free(waiter);
	}
}

/*
 * The sender has died, but the transport may say so of the data only when the
 * kernel breaks the connection, minutes later. Their memory stays until then.
 * The waiters move to a new fetch, which is returned.
 */
static struct stn_fetch *
leave_landing(struct stn_fetch *fetch)
{
	struct stn_fetch *again = fetch_create(fetch->constants, fetch->hash);

	STAILQ_CONCAT(&again->waiters, &fetch->waiters);
	again->direct = fetch->direct;
	again->asked = fetch->from;
	LIST_REMOVE(fetch, link);
	fetch->orphan = true;
	return again;
}

void
stn_fetch_died(struct stn_constants *constants, uint32_t rank)
{
	struct stn_fetch *fetch, *next;

	for (fetch = LIST_FIRST(&constants->fetches); fetch; fetch = next) {
		next = LIST_NEXT(fetch, link);
		if (fetch->landing && fetch->from == rank)
			fetch = leave_landing(fetch);
		forget_asker(fetch, rank);
		if (!fetch->landing &&
		    (fetch->asked == rank || STAILQ_EMPTY(&fetch->waiters)))
			fetch_ask(fetch);
	}
}
