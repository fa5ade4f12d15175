#include "transport/verbs/verbs_library.h"

#include <string.h>

#include "transport/library.h"

static const struct stn_library_symbol symbols[] = {
	{ "_ibv_query_gid_ex", offsetof(struct verbs_library, query_gid_ex) },
#define X(name) { "ibv_" #name, offsetof(struct verbs_library, name) },
	VERBS_CALLS(X)
#undef X
};

static const struct stn_library libibverbs = {
	.name = "libibverbs",
	.soname = "libibverbs.so.1",
	.packages = "libibverbs1 and ibverbs-providers",
	.symbols = symbols,
	.count = sizeof(symbols) / sizeof(symbols[0]),
};

enum stn_err
verbs_library_load(struct verbs_library *library, struct stn_why *why)
{
	enum stn_err err = stn_library_load(&libibverbs, library, why);

	/*
	 * Before Linux 5.12, the first write to a page after a fork moves it
	 * away from the device. Failure matters only to programs that fork.
	 */
	if (!err)
		library->fork_init();
	return err;
}

int
verbs_query_port(const struct verbs_library *library,
		 struct ibv_context *context, uint8_t port,
		 struct ibv_port_attr *attributes)
{
	struct verbs_context *table = verbs_get_ctx_op(context, query_port);

	memset(attributes, 0, sizeof(*attributes));
	if (table)
		return table->query_port(context, port, attributes,
					 sizeof(*attributes));
	return library->query_port(context, port,
				   (struct _compat_ibv_port_attr *)attributes);
}

bool
verbs_pages_on_demand(struct ibv_context *context)
{
	struct verbs_context *table =
		verbs_get_ctx_op(context, query_device_ex);
	struct ibv_device_attr_ex device = { 0 };

	return table &&
	       !table->query_device_ex(context, NULL, &device,
				       sizeof(device)) &&
	       (device.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT) &&
	       (device.odp_caps.per_transport_caps.rc_odp_caps &
		IBV_ODP_SUPPORT_READ);
}
