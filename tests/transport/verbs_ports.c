/*
 * verbs_ports.c: the port that `verbs` chooses, among the devices of a made-up
 * libibverbs. Needs no device.
 */
#include <string.h>

#include "tests/tap.h"
#include "transport/verbs/verbs_device.h"

#define PORTS 2
#define GIDS 4

struct made_up {
	struct ibv_device device;
	struct ibv_context context;
	uint8_t link_layer;
	enum ibv_port_state states[PORTS];
	struct ibv_gid_entry gids[GIDS]; /* of each port; zeros: empty */
};

#define IPV4                                                                   \
	{                                                                      \
		.raw = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1 }       \
	}
#define IPV6                                                                   \
	{                                                                      \
		.raw = { 0x20, 0x01, [15] = 1 }                                \
	}
#define LINK_LOCAL                                                             \
	{                                                                      \
		.raw = { 0xfe, 0x80, [15] = 1 }                                \
	}

static struct made_up devices[] = {
	{ .device = { .name = "iwarp0", .transport_type = IBV_TRANSPORT_IWARP },
	  .states = { IBV_PORT_ACTIVE, IBV_PORT_ACTIVE } },
	{ .device = { .name = "mlx5_1", .transport_type = IBV_TRANSPORT_IB },
	  .link_layer = IBV_LINK_LAYER_INFINIBAND,
	  .states = { IBV_PORT_DOWN, IBV_PORT_ACTIVE },
	  .gids = { { LINK_LOCAL, .gid_type = IBV_GID_TYPE_IB } } },
	{ .device = { .name = "mlx5_10", .transport_type = IBV_TRANSPORT_IB },
	  .link_layer = IBV_LINK_LAYER_INFINIBAND,
	  .states = { IBV_PORT_DOWN, IBV_PORT_DOWN } },
	{ .device = { .name = "rxe0", .transport_type = IBV_TRANSPORT_IB },
	  .link_layer = IBV_LINK_LAYER_ETHERNET,
	  .states = { IBV_PORT_ACTIVE, IBV_PORT_DOWN },
	  .gids = { { LINK_LOCAL, .gid_index = 0,
		      .gid_type = IBV_GID_TYPE_ROCE_V2 },
		    { IPV6, .gid_index = 1, .gid_type = IBV_GID_TYPE_ROCE_V2 },
		    { IPV4, .gid_index = 2, .gid_type = IBV_GID_TYPE_ROCE_V1 },
		    { IPV4, .gid_index = 3,
		      .gid_type = IBV_GID_TYPE_ROCE_V2 } } },
};

#define DEVICES (int)(sizeof(devices) / sizeof(devices[0]))

static struct ibv_device *listed[DEVICES + 1];
static int device_count; /* of those that the library lists */
static int opened;	 /* contexts that are open */

static struct made_up *
made_up_of(struct ibv_context *context)
{
	return (struct made_up *)context->device;
}

static struct ibv_device **
get_device_list(int *count_p)
{
	for (int i = 0; i < device_count; i++)
		listed[i] = &devices[i].device;
	*count_p = device_count;
	return listed;
}

static void
free_device_list(struct ibv_device **list)
{
	(void)list;
}

static const char *
get_device_name(struct ibv_device *device)
{
	return device->name;
}

static struct ibv_context *
open_device(struct ibv_device *device)
{
	struct made_up *made_up = (struct made_up *)device;

	made_up->context.device = device;
	opened++;
	return &made_up->context;
}

static int
close_device(struct ibv_context *context)
{
	(void)context;
	opened--;
	return 0;
}

static int
query_device(struct ibv_context *context, struct ibv_device_attr *attributes)
{
	(void)context;
	*attributes = (struct ibv_device_attr){ .phys_port_cnt = PORTS };
	return 0;
}

static int
query_port(struct ibv_context *context, uint8_t port,
	   struct _compat_ibv_port_attr *compatible)
{
	struct ibv_port_attr *attributes = (struct ibv_port_attr *)compatible;
	const struct made_up *made_up = made_up_of(context);

	attributes->state = made_up->states[port - 1];
	attributes->link_layer = made_up->link_layer;
	attributes->gid_tbl_len = GIDS;
	return 0;
}

static int
query_gid(struct ibv_context *context, uint32_t port, uint32_t index,
	  struct ibv_gid_entry *entry, uint32_t flags, size_t bytes)
{
	static const struct ibv_gid_entry empty;
	const struct ibv_gid_entry *gid = &made_up_of(context)->gids[index];

	(void)port;
	(void)flags;
	if (!memcmp(gid, &empty, sizeof(empty)))
		return -1;
	memcpy(entry, gid, bytes);
	return 0;
}

static const struct verbs_library library = {
	.get_device_list = get_device_list,
	.free_device_list = free_device_list,
	.get_device_name = get_device_name,
	.open_device = open_device,
	.close_device = close_device,
	.query_device = query_device,
	.query_port = query_port,
	.query_gid_ex = query_gid,
};

static struct verbs_port port;
static struct stn_why why;

/* Is this port of this device chosen, and only its device left open? */
static bool
chooses(const char *device, const char *name, unsigned number)
{
	bool right;

	opened = 0;
	if (verbs_port_open(&library, device, &port, &why)) {
		printf("# %s\n", why.text);
		return false;
	}
	right = !strcmp(port.context->device->name, name) &&
		port.number == number && opened == 1;
	if (!right)
		printf("# %s:%u, %d open\n", port.context->device->name,
		       port.number, opened);
	return right;
}

/*
 * Whether no port is found, the reason has @words, and no device is left open.
 */
static bool
lacks(const char *device, const char *words)
{
	opened = 0;
	if (verbs_port_open(&library, device, &port, &why) == STN_MISSING &&
	    strstr(why.text, words) && !opened)
		return true;
	printf("# %s, %d open\n", why.text, opened);
	return false;
}

int
main(void)
{
	tap_begin();
	device_count = DEVICES;
	tap_ok(chooses(NULL, "mlx5_1", 2) && chooses("auto", "mlx5_1", 2),
	       "the first active port is chosen, and no iWARP device");
	tap_ok(chooses("rxe0", "rxe0", 1), "a device can be named");
	tap_ok(port.gid.gid_index == 3,
	       "the GID of RoCE v2 over IPv4 is preferred");
	tap_ok(chooses("mlx5_1:2", "mlx5_1", 2), "so can its port");
	tap_ok(lacks("mlx5_1:1", "no port of RDMA device mlx5_1:1 is active"),
	       "a named port that is down isn't used");
	tap_ok(lacks("mlx5_10", "no port of RDMA device mlx5_10 is active"),
	       "a device's name may begin with another's");
	tap_ok(lacks("mlx5_1:x", "isn't there") &&
		       lacks("mlx5_1:", "isn't there"),
	       "a malformed number of a port is refused");
	tap_ok(lacks("mlx5", "isn't there") && lacks("iwarp0", "isn't there"),
	       "part of a name and an iWARP device are refused");
	devices[3].gids[3] = devices[3].gids[2] = (struct ibv_gid_entry){ 0 };
	tap_ok(chooses("rxe0", "rxe0", 1) && port.gid.gid_index == 1,
	       "without IPv4, a GID that isn't link-local is preferred");
	memset(devices[3].gids, 0, sizeof(devices[3].gids));
	tap_ok(lacks("rxe0", "no port of RDMA device rxe0 is active"),
	       "a port without a GID isn't used");
	device_count = 1;
	tap_ok(lacks(NULL, "there is no RDMA device on this machine"),
	       "a machine with an iWARP device has no device for verbs");
	return tap_end();
}
