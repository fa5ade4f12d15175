/*
 * gateway_say.h: the lines that a gateway prints on standard error. Lines which
 * can't be written at once wait: the gateway must not sleep, because the other
 * gateways await its heartbeats. The first refused connections are reported one
 * by one, later ones as sums, so that strangers can't fill the log.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_SAY_H
#define STN_LAUNCH_GATEWAY_GATEWAY_SAY_H

#include <stdint.h>

#include "launch/gateway/host_port.h"
#include "launch/run/output.h"

struct gateway;

struct said {
	struct stn_output waiting;
	unsigned refused; /* refused connections that were printed one by one */
	unsigned held;	  /* refused connections counted, but not yet printed */
	uint64_t last_ns; /* when a sum was printed, or counting began */
};

/* gateway_say: prints a line after "sateen join CLUSTER: ". */
void gateway_say(struct gateway *gateway, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * gateway_print: prints the line @text, which has no newline and at most 1000
 * bytes.
 */
void gateway_print(struct gateway *gateway, const char *text);

/* gateway_say_refused: a connection from @from was refused because of @why. */
void gateway_say_refused(struct gateway *gateway,
			 const struct stn_host_port *from, const char *why);

/*
 * gateway_say_attend: to be called now and then: prints lines that wait, and
 * every 10 s the sum of later refusals.
 */
void gateway_say_attend(struct gateway *gateway, uint64_t now);

/*
 * gateway_say_rest: prints all lines that wait, and frees them. Blocks, but
 * gives up when nobody has read anything for 5 s.
 */
void gateway_say_rest(struct gateway *gateway);

#endif
