#include "transport/backends.h"

#include <inttypes.h>

static void
no_handler(void *arg, const struct stn_message *message)
{
	(void)arg;
	(void)message;
}

static void
print_size(FILE *out, size_t bytes)
{
	if (bytes >= 1024 && bytes % 1024 == 0)
		fprintf(out, "%zu KiB", bytes / 1024);
	else
		fprintf(out, "%zu B", bytes);
}

/* Up to which size a message is sent in which way, and how idle nodes wait. */
static void
print_limits(FILE *out, const struct stn_limits *limits)
{
	fputs("inline to ", out);
	print_size(out, limits->inline_bytes);
	if (limits->eager_bytes > limits->inline_bytes) {
		fputs(", gathered to ", out);
		print_size(out, limits->eager_bytes);
	}
	fputs(", then pulled; ", out);
	if (limits->pieces < SIZE_MAX)
		fprintf(out, "%zu pieces uncopied; ", limits->pieces);
	fputs(limits->fd >= 0 ? "sleeps when idle\n" : "polled when idle\n",
	      out);
}

void
stn_transport_describe(const struct stn_transport_ops *ops,
		       const char *provider, const char *device, FILE *out)
{
	const struct stn_topology alone = { .nodes = 1, .clusters = 1 };
	const struct stn_opening opening = {
		.topology = &alone,
		.provider = provider,
		.device = device,
		.address = "127.0.0.1",
		.handler = no_handler,
	};
	struct stn_transport *transport;
	struct stn_why why;

	fprintf(out, "    %-8s ", device ? device : provider);
	if (stn_transport_open_backend(ops, &opening, &transport, &why)) {
		fprintf(out, "%s\n", why.text);
		return;
	}
	print_limits(out, &transport->limits);
	stn_transport_close(transport, 0);
}
