/*
 * bare.h: the libraries below Sateen's transports as paths of their own. Each
 * is used as plainly and as fast as it allows, because Sateen's numbers are
 * compared with these.
 */
#ifndef BENCH_FABRIC_BARE_H
#define BENCH_FABRIC_BARE_H

#include "bench/fabric/path.h"

extern const struct path_ops bare_lines;      /* a flag in a line */
extern const struct path_ops bare_ofi_send;   /* fi_send, fi_inject */
extern const struct path_ops bare_ofi_read;   /* a note, fi_read, a note */
extern const struct path_ops bare_relay;      /* TCP, TLS, TCP */
extern const struct path_ops bare_shm;	      /* a flag; a ring */
extern const struct path_ops bare_tcp;	      /* sockets */
extern const struct path_ops bare_ucx;	      /* active messages */
extern const struct path_ops bare_verbs_send; /* RC, inline if it fits */
extern const struct path_ops bare_verbs_read; /* a note, RDMA read, a note */

/*
 * bare_find: the bare path number @index, from 0, that is measured beside a
 * transport with this provider. NULL: there are no more. Both nodes get the
 * same paths in the same order.
 */
const struct path_ops *bare_find(const char *transport, const char *provider,
				 unsigned index);

#endif
