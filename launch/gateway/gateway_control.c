#include "launch/gateway/gateway_control.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/gateway/gateway_private.h"
#include "transport/units.h"

/* Its descriptors are polled now and then, beside the loop. */
#define CONTROL_LOOK_NS (STN_SECOND_NS / 20)
#define LINE_BYTES 400

static void
end_request(struct gateway *gateway, uint64_t number, const char *error)
{
	stn_control_end(gateway->control.socket, number, error);
}

static void
list_cluster(struct gateway *gateway, uint64_t number)
{
	const struct stn_gateway_options *options = gateway->options;
	char text[LINE_BYTES], since[40], place[2 * STN_NAME_BYTES + 8];
	uint32_t nodes = gateway->members.layout_known
				 ? gateway_nodes_living(gateway)
				 : gateway->members.present;

	strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S",
		 localtime(&gateway->control.began));
	snprintf(place, sizeof(place), "%s of %s", options->cluster,
		 options->run);
	snprintf(text, sizeof(text), "%-8ld %6" PRIu32 "  %s  %-20s %s",
		 (long)getpid(), nodes, since, place, options->command[0]);
	stn_control_say(gateway->control.socket, number, text);
	end_request(gateway, number, NULL);
}

/* Finds the nodes that a request names. */
static bool
find_nodes(const struct gateway *gateway,
	   const struct stn_control_request *request,
	   struct leave_request *found)
{
	uint64_t node;

	*found = (struct leave_request){ request->number, 0,
					 gateway->members.size };
	if (request->count == 2)
		return !strcmp(request->words[1], gateway->options->cluster);
	if (request->count != 3 || strcmp(request->words[1], "node") != 0 ||
	    stn_parse_count(request->words[2], 0, gateway->members.size - 1,
			    &node))
		return false;
	found->first = (uint32_t)node;
	found->count = 1;
	return true;
}

static void
take_leave(struct gateway *gateway, const struct stn_control_request *request)
{
	struct gateway_control *control = &gateway->control;
	struct leave_request found;
	char text[LINE_BYTES];

	if (!gateway_leave_possible(gateway)) {
		end_request(gateway, request->number,
		       "the run does not survive the loss of nodes, has not "
		       "begun, or is ending");
	} else if (!find_nodes(gateway, request, &found)) {
		snprintf(text, sizeof(text),
			 "this is cluster %s, with the nodes 0 to %" PRIu32
			 "; name the cluster, or write \"node\" and a number",
			 gateway->options->cluster, gateway->members.size - 1);
		end_request(gateway, request->number, text);
	} else if (control->waiting_count == STN_CONTROL_CLIENTS) {
		end_request(gateway, request->number,
		       "too many requests; try again");
	} else {
		for (uint32_t i = 0; i < found.count; i++)
			gateway_nodes_leave(gateway, found.first + i);
		control->waiting[control->waiting_count++] = found;
	}
}

static void
gateway_asked(void *arg, const struct stn_control_request *request)
{
	struct gateway *gateway = arg;

	if (!strcmp(request->words[0], "list"))
		list_cluster(gateway, request->number);
	else if (!strcmp(request->words[0], "leave"))
		take_leave(gateway, request);
	else if (!strcmp(request->words[0], "metrics"))
		end_request(gateway, request->number,
			    "this is a gateway, which has no counts; use the "
			    "number of its `sateen run`");
	else
		end_request(gateway, request->number,
		       "this is a gateway; to add nodes, start another "
		       "`sateen join`, with the name of another cluster");
}

/* Tells the client when all of the nodes are gone. False: some live. */
static bool
say_they_are_gone(struct gateway *gateway, const struct leave_request *request)
{
	const struct own_node *list = gateway->nodes.list;
	char text[LINE_BYTES];

	for (uint32_t i = 0; i < request->count; i++)
		if (!list[request->first + i].gone)
			return false;
	for (uint32_t i = 0; i < request->count; i++) {
		uint32_t index = request->first + i;

		snprintf(text, sizeof(text), "node %" PRIu32 " has %s", index,
			 list[index].left ? "left" : "died");
		stn_control_say(gateway->control.socket, request->number, text);
	}
	end_request(gateway, request->number, NULL);
	return true;
}

void
gateway_control_open(struct gateway *gateway)
{
	gateway->control.began = time(NULL);
	gateway->control.socket = stn_control_open(gateway_asked, gateway);
}

void
gateway_control_close(struct gateway *gateway)
{
	stn_control_close(gateway->control.socket);
}

void
gateway_control_attend(struct gateway *gateway, uint64_t now)
{
	struct gateway_control *control = &gateway->control;
	struct pollfd fds[STN_CONTROL_FDS];
	uint32_t count, kept = 0;

	for (uint32_t i = 0; i < control->waiting_count; i++)
		if (!say_they_are_gone(gateway, &control->waiting[i]))
			control->waiting[kept++] = control->waiting[i];
	control->waiting_count = kept;
	if (!control->socket || now < control->look_ns)
		return;
	control->look_ns = now + CONTROL_LOOK_NS;
	count = stn_control_fds(control->socket, fds);
	if (poll(fds, count, 0) > 0)
		stn_control_listen(control->socket, fds);
}
