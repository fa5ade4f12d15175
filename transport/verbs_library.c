#include "transport/verbs_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define SONAME "libibverbs.so.1"

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define SYMBOL(name)                                                           \
	{                                                                      \
		"ibv_" #name, offsetof(struct verbs_library, name)             \
	}
	SYMBOL(get_device_list),
	SYMBOL(free_device_list),
	SYMBOL(get_device_name),
	SYMBOL(open_device),
	SYMBOL(close_device),
	SYMBOL(query_device),
	SYMBOL(query_port),
	{ "_ibv_query_gid_ex", offsetof(struct verbs_library, query_gid_ex) },
	SYMBOL(alloc_pd),
	SYMBOL(dealloc_pd),
	SYMBOL(reg_mr),
	SYMBOL(dereg_mr),
	SYMBOL(create_comp_channel),
	SYMBOL(destroy_comp_channel),
	SYMBOL(create_cq),
	SYMBOL(destroy_cq),
	SYMBOL(get_cq_event),
	SYMBOL(ack_cq_events),
	SYMBOL(create_srq),
	SYMBOL(destroy_srq),
	SYMBOL(create_qp),
	SYMBOL(modify_qp),
	SYMBOL(destroy_qp),
	SYMBOL(create_ah),
	SYMBOL(destroy_ah),
#undef SYMBOL
};

enum stn_err
verbs_library_load(struct verbs_library *library, struct stn_why *why)
{
	void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return stn_because(why, STN_MISSING,
				   "libibverbs can't be loaded: %s; install "
				   "libibverbs1 and ibverbs-providers",
				   dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(handle, symbols[i].name);

		if (!symbol)
			return stn_because(why, STN_MISSING, SONAME " lacks %s",
					   symbols[i].name);
		memcpy((char *)library + symbols[i].offset, &symbol,
		       sizeof(symbol));
	}
	return STN_OK;
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
