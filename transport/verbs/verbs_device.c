#include "transport/verbs/verbs_device.h"

#include <stdlib.h>
#include <string.h>

#include "transport/backends.h"

/* Called for each port. Returns true to stop. */
typedef bool visit(void *arg, const struct verbs_library *library,
		   const char *name, const struct verbs_port *port);

static bool
visit_ports(const struct verbs_library *library, struct ibv_device *device,
	    visit *visitor, void *arg)
{
	const char *name = library->get_device_name(device);
	struct verbs_port port = { .context = library->open_device(device) };
	bool found = false;

	if (!port.context)
		return false;
	if (library->query_device(port.context, &port.device))
		port.device.phys_port_cnt = 0;
	for (unsigned i = 1; i <= port.device.phys_port_cnt && !found; i++) {
		port.number = (uint8_t)i;
		found = !verbs_query_port(library, port.context, port.number,
					  &port.attributes) &&
			visitor(arg, library, name, &port);
	}
	if (!found)
		library->close_device(port.context);
	return found;
}

/*
 * Visits the ports of all devices. The device where the visitor stopped stays
 * open. Skips iWARP devices, which have no datagrams. Returns false if there is
 * no device.
 */
static bool
visit_devices(const struct verbs_library *library, visit *visitor, void *arg)
{
	int count = 0;
	struct ibv_device **list = library->get_device_list(&count);
	bool any = false, found = false;

	if (!list)
		return false;
	for (int i = 0; i < count && !found; i++) {
		if (list[i]->transport_type != IBV_TRANSPORT_IB)
			continue;
		any = true;
		found = visit_ports(library, list[i], visitor, arg);
	}
	library->free_device_list(list);
	return any;
}

static bool
is_ipv4(const union ibv_gid *gid)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

/*
 * Rates a GID. RoCE v2 over IPv4 crosses routers, and most networks are set up
 * for it. A link-local address works only on its own link.
 */
static int
rate_gid(const struct verbs_port *port, const struct ibv_gid_entry *entry)
{
	if (port->attributes.link_layer != IBV_LINK_LAYER_ETHERNET)
		return 1;
	if (entry->gid_type != IBV_GID_TYPE_ROCE_V2)
		return 1;
	if (is_ipv4(&entry->gid))
		return 4;
	return entry->gid.raw[0] == 0xfe ? 2 : 3;
}

static bool
choose_gid(const struct verbs_library *library, struct verbs_port *port)
{
	int best = 0;

	for (int i = 0; i < port->attributes.gid_tbl_len; i++) {
		struct ibv_gid_entry entry;
		int rating;

		if (library->query_gid_ex(port->context, port->number,
					  (uint32_t)i, &entry, 0,
					  sizeof(entry)))
			continue; /* this entry is empty */
		rating = rate_gid(port, &entry);
		if (rating <= best)
			continue;
		best = rating;
		port->gid = entry;
	}
	return best;
}

struct selection {
	const char *name; /* NULL: any */
	size_t name_length;
	unsigned number; /* 0: any */
	bool seen;	 /* a port matches, but is not active */
	struct verbs_port *port_p;
};

static bool
select_port(void *arg, const struct verbs_library *library, const char *name,
	    const struct verbs_port *port)
{
	struct selection *selection = arg;
	struct verbs_port chosen = *port;

	if (selection->name &&
	    (strlen(name) != selection->name_length ||
	     memcmp(name, selection->name, selection->name_length)))
		return false;
	if (selection->number && selection->number != port->number)
		return false;
	selection->seen = true;
	if (port->attributes.state != IBV_PORT_ACTIVE ||
	    !choose_gid(library, &chosen))
		return false;
	*selection->port_p = chosen;
	return true;
}

static struct selection
verbs_parse_device(const char *device)
{
	struct selection selection = { .name = device };
	const char *colon;

	if (!device || !strcmp(device, "auto"))
		return (struct selection){ .name = NULL };
	colon = strchr(device, ':');
	selection.name_length =
		colon ? (size_t)(colon - device) : strlen(device);
	/* If the number is malformed, uses one that no device has. */
	if (colon)
		selection.number = (unsigned)strtoul(colon + 1, NULL, 10);
	if (colon && !selection.number)
		selection.number = UINT16_MAX;
	return selection;
}

enum stn_err
verbs_port_open(const struct verbs_library *library, const char *device,
		struct verbs_port *port_p, struct stn_why *why)
{
	struct selection selection = verbs_parse_device(device);

	port_p->context = NULL;
	selection.port_p = port_p;
	if (!visit_devices(library, select_port, &selection))
		return stn_because(why, STN_MISSING,
				   "there is no RDMA device on this machine; "
				   "use another --transport");
	if (port_p->context)
		return STN_OK;
	if (!selection.name || selection.seen)
		return stn_because(why, STN_MISSING,
				   "no port of %s%s is active; see `sateen "
				   "info`",
				   selection.name ? "RDMA device "
						  : "any RDMA device",
				   selection.name ? device : "");
	return stn_because(why, STN_MISSING,
			   "RDMA device \"%s\" isn't there, or may not be "
			   "opened; see `sateen info`",
			   device);
}

enum stn_err
verbs_port_reaches(const struct verbs_port *port, uint32_t own, uint32_t rank,
		   const union ibv_gid *gid, struct stn_why *why)
{
	bool own_is_ipv4 = is_ipv4(&port->gid.gid);

	if (port->attributes.link_layer != IBV_LINK_LAYER_ETHERNET ||
	    port->gid.gid_type != IBV_GID_TYPE_ROCE_V2 ||
	    own_is_ipv4 == is_ipv4(gid))
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "the card of node %u has an IPv4 address and that "
			   "of node %u only an IPv6 one; give both cards an "
			   "IPv4 address",
			   own_is_ipv4 ? own : rank, own_is_ipv4 ? rank : own);
}

static bool
note_entries(void *arg, const struct verbs_library *library, const char *name,
	     const struct verbs_port *port)
{
	uint32_t entries = (uint32_t)port->device.max_cqe, *least = arg;

	(void)library;
	(void)name;
	if (!*least || entries < *least)
		*least = entries;
	return false;
}

uint32_t
verbs_least_entries(void)
{
	struct verbs_library library;
	struct stn_why why;
	uint32_t least = 0;

	if (!verbs_library_load(&library, &why))
		visit_devices(&library, note_entries, &least);
	return least;
}

/*
 * A port's rate in Gbit/s. The table holds the attributes' codes, with lanes,
 * and with 0.1 Gbit/s for each lane.
 */
static unsigned
rate(const struct ibv_port_attr *attributes)
{
	static const struct {
		uint8_t code;
		unsigned value;
	} widths[] = { { 1, 1 }, { 2, 4 }, { 4, 8 }, { 8, 12 }, { 16, 2 } },
	  speeds[] = { { 1, 25 },   { 2, 50 },	 { 4, 100 },  { 8, 100 },
		       { 16, 140 }, { 32, 250 }, { 64, 500 }, { 128, 1000 } };
	unsigned lanes = 0, speed = 0;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (widths[i].code == attributes->active_width)
			lanes = widths[i].value;
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i].code == attributes->active_speed)
			speed = speeds[i].value;
	return lanes * speed / 10;
}

struct listing {
	const struct stn_transport_ops *ops;
	FILE *out;
};

static bool
list_port(void *arg, const struct verbs_library *library, const char *name,
	  const struct verbs_port *port)
{
	const struct listing *listing = arg;
	const struct ibv_port_attr *attributes = &port->attributes;
	FILE *out = listing->out;
	bool active = attributes->state == IBV_PORT_ACTIVE;
	bool ethernet = attributes->link_layer == IBV_LINK_LAYER_ETHERNET;
	unsigned gbit = rate(attributes);

	(void)library;
	fprintf(out, "    device %s:%u, %s, %s", name, port->number,
		ethernet ? "RoCE" : "InfiniBand", active ? "active" : "down");
	if (active && gbit)
		fprintf(out, ", %u Gbit/s", gbit);
	fputc('\n', out);
	if (active) {
		char place[IBV_SYSFS_NAME_MAX + 8];

		snprintf(place, sizeof(place), "%s:%u", name, port->number);
		stn_transport_describe(listing->ops, "auto", place, out);
	}
	return false;
}

void
verbs_list_ports(const struct stn_transport_ops *ops, FILE *out)
{
	struct listing listing = { ops, out };
	struct verbs_library library;
	struct stn_why why;

	if (verbs_library_load(&library, &why))
		fprintf(out, "    %s\n", why.text);
	else if (!visit_devices(&library, list_port, &listing))
		fputs("    no RDMA device on this machine\n", out);
}
