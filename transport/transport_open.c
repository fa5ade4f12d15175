/*
 * transport_open.c: transports by name. A name is that of one backend, or of
 * several, joined by '+'.
 */
#include <string.h>

#include "transport/backends.h"
#include "transport/routes.h"

enum stn_err
stn_transport_open(const char *name, const struct stn_opening *opening,
		   struct stn_transport **transport_p, struct stn_why *why)
{
	const struct stn_transport_ops *ops = stn_transport_find(name);

	if (strchr(name, '+'))
		return stn_routes_open(name, opening, transport_p, why);
	if (!ops)
		return stn_because(why, STN_MISSING,
				   "no transport \"%s\" was built; see "
				   "`sateen info` for those that were",
				   name);
	return stn_transport_open_backend(ops, opening, transport_p, why);
}

/* Are all backends in a name with '+' built? */
static bool
routes_known(const char *name)
{
	char names[STN_ROUTES_MOST][STN_ROUTES_NAME_BYTES];
	size_t count = stn_routes_split(name, names);

	for (size_t i = 0; i < count; i++)
		if (!stn_transport_find(names[i]))
			return false;
	return count;
}

bool
stn_transport_known(const char *name)
{
	return strchr(name, '+') ? routes_known(name)
				 : stn_transport_find(name) != NULL;
}

static void
sweep_backend(const char *name, const unsigned char *address, size_t bytes)
{
	const struct stn_transport_ops *ops = stn_transport_find(name);

	if (ops && ops->sweep && bytes > STN_IDENTITY_BYTES)
		ops->sweep(address + STN_IDENTITY_BYTES,
			   bytes - STN_IDENTITY_BYTES);
}

void
stn_transport_sweep(const char *name, const unsigned char *bytes, size_t size)
{
	struct stn_routes_address address;

	if (!strchr(name, '+')) {
		sweep_backend(name, bytes, size);
		return;
	}
	if (!stn_routes_parse(bytes, size, &address))
		return;
	for (size_t i = 0; i < address.count; i++)
		sweep_backend(address.parts[i].name, address.parts[i].bytes,
			      address.parts[i].size);
}
