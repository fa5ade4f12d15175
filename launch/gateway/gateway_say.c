#include "launch/gateway/gateway_say.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/gateway/gateway_private.h"
#include "launch/run/descriptors.h"

#define LINE_BYTES (STN_NAME_BYTES + 1024)
#define SAID_MOST 5 /* refusals that are printed one by one */
#define SUM_NS (10 * STN_SECOND_NS)
#define REST_MS 5000 /* until a line is given up that nobody reads */

static void
write_waiting(struct stn_output *waiting)
{
	struct stn_why why;

	/* If standard error is closed, nobody can be told. */
	while (stn_output_waits(waiting) &&
	       stn_descriptor_is_writable(STDERR_FILENO))
		if (stn_output_write(waiting, STDERR_FILENO, &why))
			return;
}

void
gateway_print(struct gateway *gateway, const char *text)
{
	struct stn_output *waiting = &gateway->said.waiting;
	char line[LINE_BYTES + 1];
	int size = snprintf(line, sizeof(line), "%s\n", text);

	if (stn_output_add(waiting, line, (size_t)size))
		write_waiting(waiting);
}

void
gateway_say(struct gateway *gateway, const char *format, ...)
{
	char text[LINE_BYTES];
	int begin = sprintf(text, "sateen join %.*s: ", STN_NAME_BYTES - 1,
			    gateway->options->cluster);
	va_list list;

	va_start(list, format);
	vsnprintf(text + begin, sizeof(text) - (size_t)begin, format, list);
	va_end(list);
	gateway_print(gateway, text);
}

void
gateway_say_refused(struct gateway *gateway, const struct stn_host_port *from,
		    const char *why)
{
	struct said *said = &gateway->said;
	char text[STN_HOST_PORT_BYTES];

	if (said->refused >= SAID_MOST) {
		if (!said->held++)
			said->last_ns = gateway_now();
		return;
	}
	said->refused++;
	stn_host_port_write(text, from);
	gateway_say(gateway, "refused a connection from %s: %s", text, why);
}

static void
sum_refusals(struct gateway *gateway, uint64_t now)
{
	struct said *said = &gateway->said;

	if (!said->held || now - said->last_ns < SUM_NS)
		return;
	gateway_say(gateway, "refused %u more connections", said->held);
	said->held = 0;
	said->last_ns = now;
}

void
gateway_say_attend(struct gateway *gateway, uint64_t now)
{
	sum_refusals(gateway, now);
	write_waiting(&gateway->said.waiting);
}

void
gateway_say_rest(struct gateway *gateway)
{
	struct pollfd errors = { STDERR_FILENO, POLLOUT, 0 };
	struct stn_output *waiting = &gateway->said.waiting;
	struct stn_why why;

	while (stn_output_waits(waiting))
		if (poll(&errors, 1, REST_MS) <= 0 ||
		    stn_output_write(waiting, STDERR_FILENO, &why))
			break;
	stn_output_fini(waiting);
}
