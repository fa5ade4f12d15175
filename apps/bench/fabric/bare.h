/*
 * bare.h: the libraries below Sateen's transports, as paths of their own: each
 * as plain, and as fast, as the library allows, since they are what Sateen's
 * numbers are held against.
 */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include "apps/bench/fabric/path.h"

extern const struct path_ops bare_ofi_send;   /* messages as they are */
extern const struct path_ops bare_ofi_read;   /* a note, fi_read, a note */
extern const struct path_ops bare_relay;      /* TCP, TLS, TCP */
extern const struct path_ops bare_shm;	      /* a flag; a ring */
extern const struct path_ops bare_tcp;	      /* sockets */
extern const struct path_ops bare_ucx;	      /* active messages */
extern const struct path_ops bare_verbs_send; /* RC, inline if it fits */
extern const struct path_ops bare_verbs_read; /* a note, RDMA read, a note */

/*
 * bare_find: number @index of those that belong beside a transport; NULL: no
 * more. The same on both nodes.
 */
const struct path_ops *bare_find(const char *transport, const char *provider,
				 unsigned index);

#endif
