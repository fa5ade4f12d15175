/*
 * fuzz_node.h: for fuzz targets: a node of a run that survives deaths, to which
 * messages are delivered as by a transport. It has no threads. If a message
 * makes the run fail, the delivery ends there; the process would end, so what
 * the handlers have allocated is not freed.
 */
#ifndef TESTS_FUZZ_FUZZ_NODE_H
#define TESTS_FUZZ_FUZZ_NODE_H

#include <setjmp.h>
#include <string.h>

#include "launch/services.h"
#include "launch/settings.h"
#include "node/attend.h"
#include "node/dispatch.h"
#include "node/node.h"
#include "node/sequencer.h"
#include "steal/program.h"
#include "tests/fuzz/fuzz.h"
#include "transport/ops.h"

#define FUZZ_NODES 6
#define FUZZ_FIRST 4 /* of these; the others are reserved */

static struct fuzz_delivery {
	jmp_buf failed;
	const unsigned char *payload;
	void (*sent)(uint32_t to, uint8_t kind, const void *header,
		     const struct iovec *pieces, size_t count); /* or NULL */
} fuzz_delivery;

int __lsan_is_turned_off(void);

/* Also if $ASAN_OPTIONS wants leaks to be found. */
int
__lsan_is_turned_off(void)
{
	return 1;
}

static _Noreturn void
fuzz_fail(void *arg, uint32_t missed, const char *text)
{
	(void)arg, (void)missed;
	require(*text);
	longjmp(fuzz_delivery.failed, 1);
}

static void
fuzz_suspect(void *arg, uint32_t rank, const char *how)
{
	(void)arg, (void)how;
	require(rank < FUZZ_NODES);
}

static void
fuzz_applied(void *arg, uint32_t view)
{
	(void)arg;
	require(view && view < STN_CHANGES_MOST(FUZZ_NODES));
}

static void
fuzz_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	  const void *header, size_t header_bytes, const struct iovec *pieces,
	  size_t count, stn_done *done, void *arg)
{
	(void)transport;
	require(to < FUZZ_NODES && header_bytes <= STN_HEADER_BYTES);
	if (fuzz_delivery.sent)
		fuzz_delivery.sent(to, kind, header, pieces, count);
	if (done)
		done(arg, STN_OK);
}

static void
fuzz_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	  const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	const unsigned char *from = fuzz_delivery.payload;

	(void)transport, (void)arrival;
	for (size_t i = 0; i < count; i++) {
		memcpy(pieces[i].iov_base, from, pieces[i].iov_len);
		from += pieces[i].iov_len;
	}
	done(arg, STN_OK);
}

static void
fuzz_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	(void)transport, (void)arrival;
}

static void
fuzz_peer_del(struct stn_transport *transport, uint32_t rank)
{
	(void)transport;
	require(rank < FUZZ_NODES);
}

static uint64_t
fuzz_now(const struct stn_transport *transport)
{
	(void)transport;
	return 0;
}

static const struct stn_transport_ops fuzz_ops = {
	.send = fuzz_send,
	.offer = fuzz_send,
	.pull = fuzz_pull,
	.refuse = fuzz_refuse,
	.peer_del = fuzz_peer_del,
	.now = fuzz_now,
};

/* fuzz_node_create: node @rank, of a program with the tasks of @table. */
static inline struct stn_node *
fuzz_node_create(uint32_t rank, const struct stn_table *table)
{
	static struct stn_transport transport = { .ops = &fuzz_ops };
	static struct stn_config config;
	static struct stn_topology topology = { .nodes = FUZZ_NODES,
						.clusters = 1 };
	static struct stn_program program;
	const struct stn_start start = {
		.config = &config,
		.topology = &topology,
		.rank = rank,
		.services = stn_services,
		.host = { .fail = fuzz_fail,
			  .suspect = fuzz_suspect,
			  .applied = fuzz_applied },
		.workers = 1,
		.program = &program,
	};
	struct stn_node *node;
	struct stn_why why;

	if (!topology.reserved)
		require(!stn_topology_reserve(&topology, FUZZ_FIRST,
					      FUZZ_NODES - FUZZ_FIRST));
	program.table = *table;
	stn_config_defaults(&config);
	require(!stn_node_create(&start, &node, &why));
	node->transport = &transport;
	return node;
}

/*
 * fuzz_node_deliver: delivers a message from the network, with its payload, and
 * lets the services do their work. False: the run has failed.
 */
static inline bool
fuzz_node_deliver(struct stn_node *node, const struct stn_message *message,
		  const unsigned char *payload)
{
	struct stn_arrival arrival = { .message = *message };

	fuzz_delivery.payload = payload;
	if (setjmp(fuzz_delivery.failed))
		return false;
	stn_dispatch(node, &arrival.message);
	stn_attend_look(node, 0);
	return true;
}

/*
 * fuzz_node_deliver_all: delivers the messages of an input, and destroys the
 * node.
 * @deliver  delivers the first message, and returns its size; 0: there is none,
 *     or the run has failed
 */
static inline void
fuzz_node_deliver_all(struct stn_node *node,
		      size_t (*deliver)(struct stn_node *node,
					const uint8_t *data, size_t size),
		      const uint8_t *data, size_t size)
{
	size_t bytes;

	while ((bytes = deliver(node, data, size))) {
		data += bytes;
		size -= bytes;
	}
	stn_node_destroy(node);
}

#endif
