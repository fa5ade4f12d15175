#include "launch/run/process_group_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "launch/run/descriptors.h"

#define SMALL 4096 /* the kernel makes it a page */

/*
 * A pipe of one page is ready for writing when it is empty, so its writer knows
 * that all has been read, and does not write more than the reader wants.
 */
enum stn_err
process_group_input_open(struct stn_process_group *group, struct stn_why *why)
{
	int ends[2];

	group->input = group->input_reader = -1;
	if (!group->fed || (group->first && !group->heirs))
		return STN_OK;
	if (pipe2(ends, O_CLOEXEC))
		return stn_because(why, STN_IO,
				   "can't make a pipe for input: %s",
				   strerror(errno));
	if (group->heirs)
		fcntl(ends[1], F_SETPIPE_SZ, SMALL);
	group->input_reader = ends[0];
	group->input = ends[1];
	return STN_OK;
}

/* If only node 0 has the other end, the owner notices that node 0 closes it. */
void
process_group_input_started(struct stn_process_group *group)
{
	if (!group->heirs)
		stn_descriptor_close(&group->input_reader);
}

void
process_group_input_close(struct stn_process_group *group)
{
	stn_descriptor_close(&group->input);
	stn_descriptor_close(&group->input_reader);
}

size_t
stn_process_group_input_left(const struct stn_process_group *group)
{
	int left = 0;

	if (group->input_reader < 0 ||
	    ioctl(group->input_reader, FIONREAD, &left))
		return 0;
	return (size_t)left;
}

/* Opens another end of the pipe. The nodes share the flags of the first one. */
static int
open_end(const struct stn_process_group *group, int flags)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", group->input_reader);
	return open(path, flags | O_CLOEXEC);
}

void
stn_process_group_input_restart(struct stn_process_group *group)
{
	char bytes[SMALL];
	int reader;

	if (group->input_reader < 0)
		return;
	reader = open_end(group, O_RDONLY | O_NONBLOCK);
	while (reader >= 0 && read(reader, bytes, sizeof(bytes)) > 0)
		continue;
	stn_descriptor_close(&reader);
	if (group->input < 0)
		group->input = open_end(group, O_WRONLY);
}
