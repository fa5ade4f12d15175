#include "launch/run/launch_gateway.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/wireup/wireup_frame.h"
#include "transport/far/uplink.h"

enum stn_err
launch_gateway_open(struct launch *launch, struct stn_why *why)
{
	const char *text = getenv(STN_GATEWAY);
	struct stn_uplink uplink;
	enum stn_err err = stn_uplink_read(text ? text : "", &uplink, why);
	int fd;

	if (err)
		return err;
	uplink.silence_ns = launch->config.silence_ns;
	err = stn_uplink_open_launcher(&uplink, launch->processes, &fd, why);
	if (err)
		return err;
	launch->gateway.fd = fd;
	launch->gateway.open = true;
	return STN_OK;
}

void
launch_gateway_close(struct launch *launch)
{
	if (launch->gateway.open)
		close(launch->gateway.fd);
	launch->gateway.open = false;
	stn_bytes_fini(&launch->gateway.in);
}

int
launch_gateway_fd(const struct launch *launch)
{
	return launch->gateway.open ? launch->gateway.fd : -1;
}

bool
launch_gateway_listen(struct launch *launch,
		      void (*kill)(struct launch *launch, uint32_t rank))
{
	struct stn_bytes *in = &launch->gateway.in;
	struct stn_wireup_frame frame;
	enum stn_err err = stn_bytes_read(in, launch->gateway.fd);

	while (!err && !(err = stn_wireup_frame_parse(
				 in, STN_WIREUP_FROM_LAUNCHER, &frame))) {
		if (frame.head.type == STN_WIREUP_KILL &&
		    frame.head.rank < launch->processes)
			kill(launch, frame.head.rank);
		stn_wireup_frame_drop(in, &frame);
	}
	if (err == STN_MISSING)
		return true;
	launch_gateway_close(launch);
	return false;
}

/* If the gateway is gone, the launcher reads that next. */
static void
tell_gateway(struct launch *launch, enum stn_wireup_frame_type type,
	     uint32_t rank, const void *body, size_t size)
{
	struct stn_bytes out = { 0 };

	if (launch->gateway.open &&
	    stn_wireup_frame_add(&out, type, rank, body, size))
		while (stn_bytes_count(&out) &&
		       !stn_bytes_write(&out, launch->gateway.fd,
					stn_bytes_count(&out)))
			continue;
	stn_bytes_fini(&out);
}

bool
launch_gateway_failed(struct launch *launch, const char *text)
{
	if (!launch->gateway.open)
		return false;
	tell_gateway(launch, STN_WIREUP_FAILED, 0, text, strlen(text));
	return true;
}

void
launch_gateway_ended(struct launch *launch, uint32_t rank, int status)
{
	tell_gateway(launch, STN_WIREUP_ENDED, rank, &status, sizeof(status));
}

void
launch_gateway_leave(struct launch *launch, uint32_t rank)
{
	tell_gateway(launch, STN_WIREUP_LEAVING, rank, NULL, 0);
}
