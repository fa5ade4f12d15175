/*
 * lost.c: a payload that a transport can neither send nor take, because it
 * can't pin memory, ends the run with a line that names the payload. After the
 * death of a node, at the end of the run, and if the receiver refuses the
 * payload, the run goes on. A node of its own process handles each payload.
 *
 * The result of an orphan may be lost: the node that fetches it is told that
 * there is none, and computes it.
 */
#include <string.h>
#include <sys/wait.h>

#include "constants/fetch.h"
#include "constants/send.h"
#include "node/membership_send.h"
#include "node/stats/report.h"
#include "node/stats/report_gather.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/halo.h"
#include "parts/moves/move.h"
#include "parts/points.h"
#include "parts/survive/copies.h"
#include "parts/survive/know.h"
#include "parts/survive/revive_mail.h"
#include "parts/survive/revive_parts.h"
#include "parts/survive/second.h"
#include "steal/adopt.h"
#include "steal/steal.h"
#include "tests/lone_grid.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

STN_TASK(int, nothing, int, n)
{
	return n;
}

/*
 * A transport that completes all operations with this error. A message without
 * a payload arrives: its kind is noted.
 */
static enum stn_err outcome;
static uint8_t said;

static void
fail_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	(void)transport;
	(void)to;
	(void)header;
	(void)header_bytes;
	(void)pieces;
	(void)count;
	if (done)
		done(arg, outcome);
	else
		said = kind;
}

static void
fail_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	  const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	(void)transport;
	(void)arrival;
	(void)pieces;
	(void)count;
	done(arg, outcome);
}

static uint64_t
zero(const struct stn_transport *transport)
{
	(void)transport;
	return 0;
}

static const struct stn_transport_ops failing = {
	.send = fail_send, .offer = fail_send, .pull = fail_pull, .now = zero
};

static void
end_run(void *arg, uint32_t missed, const char *text)
{
	(void)arg;
	(void)missed;
	fputs(text, stderr);
	_exit(EXIT_FAILURE);
}

static struct stn_node *
create_node(void)
{
	return lone_node(&failing, &nothing_task, end_run);
}

static struct stn_arrival
arrival_of(uint8_t kind, const void *header, size_t bytes, size_t payload)
{
	return (struct stn_arrival){ .message = { .from = 1,
						  .kind = kind,
						  .header = header,
						  .header_bytes = bytes,
						  .payload_bytes = payload } };
}

/* The piece that part 2, of node 1, needs of part 1. */
static struct stn_piece
piece_across(const struct stn_parts *array)
{
	struct stn_piece piece;
	uint32_t place = 0;

	while (!stn_shape_needs(&array->shape, 2, place, &piece) ||
	       piece.from != 1)
		place++;
	return piece;
}

static void
give_part(struct stn_parts *array)
{
	stn_part_give(stn_array_part(array, 1), 1);
}

static void
take_part(struct stn_parts *array)
{
	const struct stn_parts_give header = { .array = array->id, .part = 2 };
	struct stn_memory memory;
	struct iovec pieces[2];
	size_t bytes = 0, count;
	struct stn_arrival arrival;

	if (stn_memory_init(&memory, &array->shape, 2))
		abort();
	count = stn_memory_layers(&memory, &array->shape, pieces);
	while (count--)
		bytes += pieces[count].iov_len;
	arrival =
		arrival_of(STN_PARTS_KIND_GIVE, &header, sizeof(header), bytes);
	if (stn_move_take(array, &arrival.message, &header))
		abort();
}

static void
send_piece(struct stn_parts *array)
{
	const struct stn_piece piece = piece_across(array);

	stn_halo_pass(array, stn_landing_create(&array->shape, &piece, 1));
}

static void
take_piece(struct stn_parts *array)
{
	const struct stn_piece piece = piece_across(array);
	const struct stn_parts_piece header = { array->id, 2, piece.place, 1 };
	struct stn_landing *landing =
		stn_landing_create(&array->shape, &piece, 1);
	struct stn_arrival arrival = arrival_of(STN_PARTS_KIND_PIECE, &header,
						sizeof(header), landing->bytes);

	if (stn_halo_take(array, &arrival.message, &header))
		abort();
}

static void
deal_points(struct stn_parts *array)
{
	stn_points_deal(array, stn_points_create(array, 2));
}

static void
take_points(struct stn_parts *array)
{
	const struct stn_parts_points header = { array->id, 1, 1, 0 };
	struct stn_arrival arrival =
		arrival_of(STN_PARTS_KIND_DEALT, &header, sizeof(header),
			   stn_points_create(array, 1)->bytes);

	if (stn_points_take(array, &arrival.message, &header))
		abort();
}

static void
take_early(struct stn_parts *array)
{
	const struct stn_parts_points header = { .array = array->id };
	struct stn_arrival arrival =
		arrival_of(STN_PARTS_KIND_DEALT, &header, sizeof(header), 100);

	stn_early_keep(array->service, &arrival.message);
}

static void
send_constant(struct stn_parts *array)
{
	struct stn_constants *constants =
		stn_constants_of(array->service->node);

	stn_constant_send(constants, stn_constant_create(7, 100), 1);
}

static void
take_constant(struct stn_parts *array)
{
	struct stn_constants *constants =
		stn_constants_of(array->service->node);
	struct stn_arrival arrival = arrival_of(0, NULL, 0, 100);

	stn_fetch_arrives(constants, &arrival.message, 7);
}

static void
send_known(struct stn_parts *array)
{
	stn_know_send(array, 1);
}

static void
take_known(struct stn_parts *array)
{
	const struct stn_parts_know header = { .array = array->id, .view = 9 };
	struct stn_arrival arrival =
		arrival_of(STN_PARTS_KIND_KNOW, &header, sizeof(header), 100);

	stn_know_take(array->service, &arrival.message, &header);
}

static void
send_stored(struct stn_parts *array)
{
	struct stn_revive_mail *mail = stn_revive_mail_begin(array, 100);

	stn_revive_mail_send(mail, 1, STN_PARTS_KIND_REVIVED, &mail->need,
			     sizeof(mail->need));
}

static void
take_stored(struct stn_parts *array)
{
	const struct stn_parts_need header = { .array = array->id };
	struct stn_arrival arrival =
		arrival_of(STN_PARTS_KIND_REVIVED, &header, sizeof(header),
			   stn_copy_bytes(array, 0));

	if (stn_revive_take(array, &arrival.message, &header))
		abort();
}

static struct stn_parts_copy
copy_header(const struct stn_parts *array)
{
	return (struct stn_parts_copy){ .array = array->id,
					.version = 1,
					.bytes = stn_copy_bytes(array, 0),
					.parts = array->count };
}

static void
send_copy(struct stn_parts *array)
{
	const struct stn_parts_copy header = copy_header(array);
	struct stn_copy *copy = stn_copy_create(array, &header);

	memset(copy->data, 0, copy->bytes);
	copy->moved = copy->bytes;
	stn_copy_insert(copy);
	array->copies.complete = 1;
	stn_second_hand_over(array);
}

static void
take_copy(struct stn_parts *array)
{
	const struct stn_parts_copy header = copy_header(array);
	struct stn_arrival arrival = arrival_of(STN_PARTS_KIND_COPY, &header,
						sizeof(header), header.bytes);

	if (stn_second_take(array, &arrival.message, &header))
		abort();
}

static void
send_view(struct stn_parts *array)
{
	const struct stn_change change = { .rank = 1 };

	stn_membership_send(array->service->node, 1, STN_VIEW, 1, &change,
			    sizeof(change));
}

static void
take_view(struct stn_parts *array)
{
	const uint32_t view = 1;
	struct stn_arrival arrival = arrival_of(STN_VIEW, &view, sizeof(view),
						sizeof(struct stn_change));
	struct stn_node *node = array->service->node;

	if (stn_membership_service.handle(
		    stn_node_state(node, &stn_membership_service),
		    &arrival.message))
		abort();
}

static void
take_statistics(struct stn_parts *array)
{
	struct stn_report_gather gather = { .node = array->service->node };
	struct stn_arrival arrival = arrival_of(
		STN_STATS, NULL, 0, 5 * sizeof(struct stn_tally_word));

	if (stn_report_gather_take(&gather, &arrival.message))
		abort();
}

struct row {
	const char *what;
	void (*handle)(struct stn_parts *array);
	const char *name; /* of the payload */
	bool taken;	  /* not sent */
};

static const struct row rows[] = {
	{ "a part that leaves", give_part, "a part of an array", false },
	{ "a part that comes", take_part, "a part of an array", true },
	{ "a piece that leaves", send_piece, "a piece of a halo", false },
	{ "a piece that comes", take_piece, "a piece of a halo", true },
	{ "points that leave", deal_points, "the points of a part", false },
	{ "points that come", take_points, "the points of a part", true },
	{ "an early message", take_early, "a message about an array", true },
	{ "a constant that leaves", send_constant, "a constant", false },
	{ "a constant that comes", take_constant, "a constant", true },
	{ "a description that leaves", send_known, "a description of an array",
	  false },
	{ "a description that comes", take_known, "a description of an array",
	  true },
	{ "a stored part that leaves", send_stored,
	  "a message about an array on disk", false },
	{ "a stored part that comes", take_stored,
	  "a message about an array on disk", true },
	{ "a copy that leaves", send_copy, "a copy of a part", false },
	{ "a copy that comes", take_copy, "a copy of a part", true },
	{ "a view that leaves", send_view,
	  "a message about the nodes of the run", false },
	{ "a view that comes", take_view,
	  "a message about the nodes of the run", true },
	{ "statistics that come", take_statistics, "a table of statistics",
	  true },
};

/*
 * Handles the payload in a process of its own, whose transport fails with @err.
 * Returns the status of the process. @text: what it has written to stderr.
 */
static int
run(const struct row *row, enum stn_err err, char text[1000])
{
	size_t length = 0;
	int status, pipes[2];
	ssize_t got;

	if (pipe(pipes))
		abort();
	if (!fork()) {
		dup2(pipes[1], STDERR_FILENO);
		outcome = err;
		row->handle(lone_grid(create_node()));
		_exit(EXIT_SUCCESS);
	}
	close(pipes[1]);
	while ((got = read(pipes[0], text + length, 999 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(pipes[0]);
	wait(&status);
	return status;
}

static bool
goes_on(const struct row *row, enum stn_err err)
{
	char text[1000];

	return run(row, err, text) == 0 && !*text;
}

/*
 * Node 1 fetches the result of an orphan, which is lost with @err. Returns
 * whether node 1 learns that there is no result.
 */
static bool
fetch_fails(enum stn_err err)
{
	struct stn_steal *steal =
		stn_node_state(create_node(), &stn_steal_service);
	const struct stn_wire_fetch fetch = { .key = { 1, 2 } };

	if (stn_orphans_keep(&steal->orphans, fetch.key, 3, malloc(100), 100,
			     STN_ORPHANS_LEAST_NS, 1))
		abort();
	outcome = err;
	said = 0;
	stn_adopt_fetch(steal, 1, &fetch);
	return said == STN_GONE;
}

int
main(void)
{
	tap_begin();
	tap_ok(fetch_fails(STN_NO_MEMORY),
	       "a result for which no memory can be pinned is computed again");
	tap_ok(!fetch_fails(STN_OK) && !fetch_fails(STN_LOST) &&
		       !fetch_fails(STN_REFUSED),
	       "and no other result");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		char text[1000], expected[200];

		snprintf(expected, sizeof(expected),
			 "node 0: %s was lost: out of memory; if the fabric "
			 "pins memory, raise `ulimit -l`",
			 row->name);
		tap_ok(run(row, STN_NO_MEMORY, text) && !strcmp(text, expected),
		       "%s: the run ends if no memory can be pinned",
		       row->what);
		tap_ok(goes_on(row, STN_LOST) && goes_on(row, STN_CANCELLED) &&
			       (row->taken || goes_on(row, STN_REFUSED)),
		       "but not because of a death, the end, or a refusal");
	}
	return tap_end();
}
