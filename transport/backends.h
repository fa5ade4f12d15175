/*
 * backends.h: the backends that were built, and what they can do on this
 * machine (describe.c).
 */
#ifndef STN_TRANSPORT_BACKENDS_H
#define STN_TRANSPORT_BACKENDS_H

#include "transport/ops.h"

/* Each table is defined in the backend's own file or directory. */
extern const struct stn_transport_ops stn_transport_loop;
extern const struct stn_transport_ops stn_transport_shm;
extern const struct stn_transport_ops stn_transport_far;
extern const struct stn_transport_ops stn_transport_ofi;
extern const struct stn_transport_ops stn_transport_ucx;
extern const struct stn_transport_ops stn_transport_verbs;

/* stn_transport_find: the backend of this name, or NULL. Any thread. */
const struct stn_transport_ops *stn_transport_find(const char *name);

/*
 * stn_transport_list: writes a few lines on each backend that was built and on
 * @other, which may be NULL, in the order of their names. Opens an endpoint of
 * each backend, to see what it can do on this machine.
 */
void stn_transport_list(const struct stn_transport_ops *other, FILE *out);

/*
 * stn_transport_describe: opens an endpoint on @provider, or on one of its
 * devices if @device isn't NULL, and writes a line on what the endpoint can do,
 * or on why it can't be opened.
 */
void stn_transport_describe(const struct stn_transport_ops *ops,
			    const char *provider, const char *device,
			    FILE *out);

#endif
