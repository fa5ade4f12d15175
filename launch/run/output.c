#include "launch/run/output.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_BYTES (1u << 20)

bool
stn_output_add(struct stn_output *output, const void *bytes, size_t size)
{
	return output->ended || stn_bytes_add(&output->waiting, bytes, size);
}

bool
stn_output_waits(const struct stn_output *output)
{
	return stn_bytes_count(&output->waiting);
}

bool
stn_output_is_full(const struct stn_output *output)
{
	return stn_bytes_count(&output->waiting) > OUTPUT_BYTES;
}

/*
 * A pipe that poll() calls writable takes PIPE_BUF bytes without blocking, and
 * lets no bytes of other processes come between. A file takes more.
 */
static size_t
most_at_once(int fd)
{
	struct stat is;

	return !fstat(fd, &is) && S_ISREG(is.st_mode) ? STN_LINE_BYTES
						      : PIPE_BUF;
}

/* Several launchers may share @fd, so a write ends between lines. */
enum stn_err
stn_output_write(struct stn_output *output, int fd, struct stn_why *why)
{
	size_t most = most_at_once(fd);
	size_t lines = stn_bytes_lines(&output->waiting, most);

	if (!stn_bytes_write(&output->waiting, fd, lines ? lines : most))
		return STN_OK;
	if (errno == EPIPE)
		stn_because(why, STN_LOST,
			    "nobody reads the nodes' output any more");
	else
		stn_because(why, STN_IO, "can't write the nodes' output: %s",
			    strerror(errno));
	stn_output_drop(output);
	return STN_IO;
}

void
stn_output_drop(struct stn_output *output)
{
	stn_bytes_drop(&output->waiting, stn_bytes_count(&output->waiting));
	output->ended = true;
}

void
stn_output_fini(struct stn_output *output)
{
	stn_bytes_fini(&output->waiting);
}
