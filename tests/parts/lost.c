/*
 * lost.c: a payload that a transport can neither send nor take, because it
 * can't pin memory, ends the run with a line that names the payload. After the
 * death of a node, at the end of the run, and if the receiver refuses the
 * payload, the run goes on. A node of its own process handles each payload.
 */
#include <string.h>
#include <sys/wait.h>

#include "constants/fetch.h"
#include "constants/send.h"
#include "launch/services.h"
#include "launch/settings.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/halo.h"
#include "parts/moves/move.h"
#include "parts/points.h"
#include "parts/service.h"
#include "steal/program.h"
#include "tests/tap.h"
#include "transport/ops.h"

STN_TASK(int, nothing, int, n)
{
	return n;
}

static const struct stn_task *tasks[] = { &nothing_task };

/* A transport that completes all operations with this error. */
static enum stn_err outcome;

static void
fail_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	(void)transport;
	(void)to;
	(void)kind;
	(void)header;
	(void)header_bytes;
	(void)pieces;
	(void)count;
	if (done)
		done(arg, outcome);
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

static const struct stn_transport_ops failing = { .send = fail_send,
						  .offer = fail_send,
						  .pull = fail_pull,
						  .now = zero };

static void
end_run(void *arg, uint32_t missed, const char *text)
{
	(void)arg;
	(void)missed;
	fputs(text, stderr);
	_exit(EXIT_FAILURE);
}

/* Node 0 of two. */
static struct stn_node *
create_node(void)
{
	static struct stn_transport transport = { .ops = &failing };
	static struct stn_config config;
	static struct stn_topology topology = { .nodes = 2, .clusters = 1 };
	static struct stn_program program = { .table = { tasks, 1 } };
	const struct stn_start start = { .config = &config,
					 .topology = &topology,
					 .services = stn_services,
					 .host = { .fail = end_run },
					 .workers = 1,
					 .program = &program };
	struct stn_node *node;
	struct stn_why why;

	stn_config_defaults(&config);
	if (stn_node_create(&start, &node, &why))
		abort();
	node->transport = &transport;
	return node;
}

/* A grid of four parts; node 0 has the first two. */
static struct stn_parts *
create_array(struct stn_node *node)
{
	struct stn_parts_service *service =
		stn_node_state(node, &stn_parts_service);
	const struct stn_grid grid = { .rows = 64,
				       .columns = 64,
				       .part_rows = 16,
				       .part_columns = 64,
				       .element = sizeof(double),
				       .halo = 1 };
	const struct stn_parts_create create = { .nodes = 2 };
	struct stn_parts *array = NULL;
	struct stn_shape shape;
	struct stn_why why;

	if (!stn_shape_init(&shape, &grid, &why))
		array = stn_array_create(service, &create, &shape);
	if (!array || stn_array_place(array, &why))
		abort();
	array->scheduling = calloc(1, 1);
	array->gather.reported = true;
	return array;
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
	arrival = arrival_of(STN_PARTS_KIND_GIVE, &header, sizeof(header),
			     bytes);
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
	struct stn_arrival arrival =
		arrival_of(STN_PARTS_KIND_PIECE, &header, sizeof(header),
			   landing->bytes);

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
	struct stn_arrival arrival = arrival_of(STN_PARTS_KIND_DEALT, &header,
						sizeof(header), 100);

	stn_early_keep(array->service, &arrival.message);
}

static void
send_constant(struct stn_parts *array)
{
	struct stn_constants *constants = stn_constants_of(array->service->node);

	stn_constant_send(constants, stn_constant_create(7, 100), 1);
}

static void
take_constant(struct stn_parts *array)
{
	struct stn_constants *constants = stn_constants_of(array->service->node);
	struct stn_arrival arrival = arrival_of(0, NULL, 0, 100);

	stn_fetch_arrives(constants, &arrival.message, 7);
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
		row->handle(create_array(create_node()));
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

int
main(void)
{
	tap_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		char text[1000], expected[200];

		snprintf(expected, sizeof(expected),
			 "node 0: %s was lost: out of memory; if the fabric "
			 "pins memory, raise `ulimit -l`",
			 row->name);
		tap_ok(run(row, STN_NO_MEMORY, text) &&
			       !strcmp(text, expected),
		       "%s: the run ends if no memory can be pinned",
		       row->what);
		tap_ok(goes_on(row, STN_LOST) && goes_on(row, STN_CANCELLED) &&
			       (row->taken || goes_on(row, STN_REFUSED)),
		       "but not because of a death, the end, or a refusal");
	}
	return tap_end();
}
