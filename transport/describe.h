/*
 * describe.h: tells people what a backend can do on this machine.
 */
#ifndef STN_TRANSPORT_DESCRIBE_H
#define STN_TRANSPORT_DESCRIBE_H

#include "transport/ops.h"

/*
 * stn_transport_describe: opens an endpoint on @provider, or on one of its
 * devices if @device isn't NULL, and writes a line on what the endpoint can do,
 * or on why it can't be opened.
 */
void stn_transport_describe(const struct stn_transport_ops *ops,
			    const char *provider, const char *device,
			    FILE *out);

#endif
