#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "transport/backends.h"

#include <string.h>

/*
 * One array. Constructors would not do: the linker drops them from static
 * libraries.
 */
static const struct stn_transport_ops *const backends[] = {
	&stn_transport_far,   &stn_transport_loop,
#ifdef HAVE_LIBFABRIC
	&stn_transport_ofi,
#endif
	&stn_transport_shm,
#ifdef HAVE_UCX
	&stn_transport_ucx,
#endif
#ifdef HAVE_VERBS
	&stn_transport_verbs,
#endif
};

#define BACKENDS (sizeof(backends) / sizeof(backends[0]))

const struct stn_transport_ops *
stn_transport_find(const char *name)
{
	for (size_t i = 0; i < BACKENDS; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

static void
list_one(const struct stn_transport_ops *ops, FILE *out)
{
	fprintf(out, "  %-8s %s\n", ops->name, ops->help);
	if (ops->list)
		ops->list(out);
	else
		stn_transport_describe(ops, "auto", NULL, out);
}

void
stn_transport_list(const struct stn_transport_ops *other, FILE *out)
{
	for (size_t i = 0; i < BACKENDS; i++) {
		if (other && strcmp(other->name, backends[i]->name) < 0) {
			list_one(other, out);
			other = NULL;
		}
		list_one(backends[i], out);
	}
	if (other)
		list_one(other, out);
}
