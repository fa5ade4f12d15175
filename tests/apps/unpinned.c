/*
 * unpinned: calls with an array, over a fabric that can't pin some of their
 * payloads: the linker puts the functions below between the runtime and its
 * transport. UNPINNED in the environment says which payloads fail:
 *
 *	result	sends of results
 *	record	pulls of records, except of those that node 0 sends
 *	home	pulls of records on node 0
 *	probe	sends of the payloads with which refusals measure a link
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen.h>

#include "steal/wire.h"
#include "transport/transport.h"

#define CALLS 60
#define BYTES 120000
#define CALL_NS 20000000

void __real_stn_transport_send(struct stn_transport *transport, uint32_t to,
			       uint8_t kind, const void *header,
			       size_t header_bytes, const struct iovec *pieces,
			       size_t count, stn_done *done, void *arg);
void __wrap_stn_transport_send(struct stn_transport *transport, uint32_t to,
			       uint8_t kind, const void *header,
			       size_t header_bytes, const struct iovec *pieces,
			       size_t count, stn_done *done, void *arg);
void __real_stn_transport_take(struct stn_transport *transport,
			       const struct stn_message *message,
			       const struct iovec *pieces, size_t count,
			       stn_done *done, void *arg);
void __wrap_stn_transport_take(struct stn_transport *transport,
			       const struct stn_message *message,
			       const struct iovec *pieces, size_t count,
			       stn_done *done, void *arg);

static bool
fails(const char *what)
{
	const char *chosen = getenv("UNPINNED");

	return chosen && !strcmp(chosen, what);
}

/* Lets the operation fail, and says so. */
static void
fail(stn_done *done, void *arg)
{
	puts("failed");
	fflush(stdout);
	done(arg, STN_NO_MEMORY);
}

static bool
is_home(void)
{
	const char *rank = getenv("STN_RANK");

	return rank && !strcmp(rank, "0");
}

void
__wrap_stn_transport_send(struct stn_transport *transport, uint32_t to,
			  uint8_t kind, const void *header, size_t header_bytes,
			  const struct iovec *pieces, size_t count,
			  stn_done *done, void *arg)
{
	if (count && ((kind == STN_RESULT && fails("result")) ||
		      (kind == STN_REFUSE && fails("probe"))))
		fail(done, arg);
	else
		__real_stn_transport_send(transport, to, kind, header,
					  header_bytes, pieces, count, done,
					  arg);
}

void
__wrap_stn_transport_take(struct stn_transport *transport,
			  const struct stn_message *message,
			  const struct iovec *pieces, size_t count,
			  stn_done *done, void *arg)
{
	bool record = message->kind == STN_GRANT || message->kind == STN_PUSH;
	bool failing = record && message->payload_bytes >= BYTES &&
		       ((fails("record") && message->from && !is_home()) ||
			(fails("home") && is_home()));

	if (failing) {
		stn_transport_refuse(transport, message);
		fail(done, arg);
	} else {
		__real_stn_transport_take(transport, message, pieces, count,
					  done, arg);
	}
}

STN_TASK(long, fill, long, number, struct stn_inout, to)
{
	STN_SLEEP(CALL_NS);
	((char *)to.at)[BYTES - 1] = (char)number;
	return number;
}

STN_MAIN(argc, argv)
{
	static char arrays[CALLS][BYTES];
	long sum = 0, wrong = 0;

	(void)argc;
	(void)argv;
	for (long i = 0; i < CALLS; i++)
		STN_SPAWN(fill, i, STN_INOUT(arrays[i], BYTES));
	STN_SYNC_ALL(fill, value) sum += value;
	for (long i = 0; i < CALLS; i++)
		wrong += arrays[i][BYTES - 1] != (char)i;
	printf("sum %ld, wrong %ld\n", sum, wrong);
	return 0;
}
