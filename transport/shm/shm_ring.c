#include "transport/shm/shm_ring.h"

void
shm_producer_init(struct shm_producer *producer, unsigned char *bytes,
		  const shm_position *tail)
{
	*producer = (struct shm_producer){
		.bytes = bytes,
		.tail = tail,
		.end = SHM_RING_BYTES,
		.clean = SHM_RING_BYTES,
	};
}

void
shm_consumer_init(struct shm_consumer *consumer, unsigned char *bytes,
		  shm_position *tail)
{
	*consumer = (struct shm_consumer){ .bytes = bytes, .tail = tail };
}

bool
shm_ring_is_free_(struct shm_producer *producer, uint64_t to)
{
	/* Pairs with the release in shm_ring_consume. */
	uint64_t tail =
		atomic_load_explicit(producer->tail, memory_order_acquire);

	if (producer->head - tail > SHM_RING_BYTES)
		return false;
	producer->end = tail + SHM_RING_BYTES;
	return to <= producer->end;
}
