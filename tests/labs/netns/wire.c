/*
 * netns-wire: a slow cable between two network namespaces.
 *
 *	netns-wire LATENCY,RATE NAMESPACE:DEVICE NAMESPACE:DEVICE
 *
 * Makes an Ethernet device (tap) in each namespace, a file such as
 * /proc/PID/ns/net, and carries frames between the devices: one after the other
 * at RATE, each LATENCY later. Prints a line when both devices are there, and
 * goes on until it is killed. It does what `tc qdisc add dev X root netem delay
 * LATENCY rate RATE` does on both sides, for kernels without netem.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "transport/units.h"

#define FRAME_BYTES 2048 /* longer than frames without offloads */
#define LINE_FRAMES 8192 /* on the way at once; more are lost */

struct frame {
	uint64_t due_ns;
	size_t bytes;
	unsigned char data[FRAME_BYTES];
};

/* One direction: a queue of frames, the oldest first. */
struct way {
	int from, to;
	uint64_t free_ns; /* when the next frame can leave */
	size_t head, tail;
	struct frame *line; /* LINE_FRAMES of them */
};

static void
fail(const char *what)
{
	fprintf(stderr, "netns-wire: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Makes the device that "NAMESPACE:DEVICE" names; returns its descriptor. */
static int
open_end(const char *end)
{
	const char *device = strrchr(end, ':');
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	char *path;
	int fd, space;

	if (!device || strlen(device + 1) >= sizeof(request.ifr_name)) {
		errno = EINVAL;
		fail(end);
	}
	path = strndup(end, (size_t)(device - end));
	space = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (space < 0 || setns(space, CLONE_NEWNET))
		fail(end);
	close(space);
	free(path);
	memcpy(request.ifr_name, device + 1, strlen(device + 1));
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		fail(device + 1);
	return fd;
}

static struct way
open_way(int from, int to)
{
	struct way way = { .from = from, .to = to };

	way.line = calloc(LINE_FRAMES, sizeof(way.line[0]));
	if (!way.line)
		fail("frames");
	return way;
}

static struct frame *
frame_at(struct way *way, size_t position)
{
	return &way->line[position % LINE_FRAMES];
}

/* Reads all frames that have come in. A device that is down gives none. */
static void
take(struct way *way, const struct stn_link *link)
{
	for (;;) {
		struct frame spare, *frame = &spare;
		uint64_t now;
		ssize_t got;

		if (way->tail - way->head < LINE_FRAMES)
			frame = frame_at(way, way->tail);
		got = read(way->from, frame->data, FRAME_BYTES);
		if (got <= 0)
			return;
		if (frame == &spare)
			continue;
		now = now_ns();
		if (way->free_ns < now)
			way->free_ns = now;
		if (link->bytes_per_s)
			way->free_ns +=
				(uint64_t)got * 1000000000 / link->bytes_per_s;
		frame->due_ns = way->free_ns + link->latency_ns;
		frame->bytes = (size_t)got;
		way->tail++;
	}
}

/*
 * Writes the frames that are due; returns when the next one is. A device that
 * is down loses them.
 */
static uint64_t
give(struct way *way)
{
	uint64_t now = now_ns();

	for (; way->head != way->tail; way->head++) {
		struct frame *frame = frame_at(way, way->head);

		if (frame->due_ns > now)
			return frame->due_ns;
		if (write(way->to, frame->data, frame->bytes) < 0)
			continue;
	}
	return UINT64_MAX;
}

static void
wait_until(struct way ways[2], uint64_t due_ns)
{
	struct pollfd fds[] = {
		{ .fd = ways[0].from, .events = POLLIN },
		{ .fd = ways[1].from, .events = POLLIN },
	};
	uint64_t now = now_ns(), ns = due_ns > now ? due_ns - now : 0;
	struct timespec most = { (time_t)(ns / 1000000000),
				 (long)(ns % 1000000000) };

	if (ppoll(fds, 2, due_ns == UINT64_MAX ? NULL : &most, NULL) < 0 &&
	    errno != EINTR)
		fail("ppoll");
}

/*
 * Asks for real-time scheduling, so that programs that compute don't delay the
 * cable.
 */
static void
ask_realtime(void)
{
	const struct sched_param least = { sched_get_priority_min(SCHED_RR) };

	prctl(PR_SET_TIMERSLACK, 1);
	(void)!sched_setscheduler(0, SCHED_RR, &least);
}

int
main(int argc, char **argv)
{
	struct stn_link link;
	struct way ways[2];
	int one, other;

	if (argc != 4 || stn_parse_link(argv[1], &link)) {
		fprintf(stderr, "usage: netns-wire LATENCY,RATE "
				"NAMESPACE:DEVICE NAMESPACE:DEVICE\n");
		return 2;
	}
	one = open_end(argv[2]);
	other = open_end(argv[3]);
	ways[0] = open_way(one, other);
	ways[1] = open_way(other, one);
	ask_realtime();
	puts("ready");
	fflush(stdout);
	for (;;) {
		uint64_t due[2];

		for (int i = 0; i < 2; i++)
			take(&ways[i], &link);
		for (int i = 0; i < 2; i++)
			due[i] = give(&ways[i]);
		wait_until(ways, due[0] < due[1] ? due[0] : due[1]);
	}
}
