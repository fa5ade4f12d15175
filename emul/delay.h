/*
 * delay.h: the delaying transport, which emulates slow links between clusters
 * around a real transport.
 */
#ifndef STN_EMUL_DELAY_H
#define STN_EMUL_DELAY_H

#include "transport/transport.h"

/*
 * stn_delay_wrap: an endpoint that passes every call to @inner, and holds each
 * message to another cluster until the link between the two clusters would have
 * delivered it. On success the new endpoint owns @inner. @opening is the one by
 * which @inner was opened.
 */
STN_CHECKED enum stn_err stn_delay_wrap(struct stn_transport *inner,
					const struct stn_opening *opening,
					struct stn_transport **transport_p,
					struct stn_why *why);

#endif
