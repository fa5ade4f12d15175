#include "launch/simulate_output.h"

#include <errno.h>

#include "transport/topology.h"
#include "transport/write.h"

/*
 * The echo counts bytes as printed before they are. If they can't be printed,
 * the output ends here: it is a beginning of what the root prints, whatever the
 * C library or the next root tries again.
 */
static ssize_t
write_new(void *arg, const char *bytes, size_t size)
{
	struct stn_simulate_output *output = arg;
	uint32_t writer = stn_sim_running(output->sim);
	bool differs = false;
	struct stn_why how;
	size_t old = 0;

	/* No node runs when the end of the root's last line is flushed. */
	if (writer == output->root || writer == STN_NOBODY)
		old = stn_echo_take(&output->echo, (const unsigned char *)bytes,
				    size, &differs);
	if (differs) {
		stn_echo_explain(&output->echo, output->root, &how);
		fprintf(stderr, "sateen: %s\n", how.text);
	}
	/* Not by C's buffer: it might print bytes of a write that has failed. */
	if (!output->broken &&
	    !stn_write_all(fileno(output->real), bytes + old, size - old))
		output->broken = errno;
	errno = output->broken;
	return output->broken ? 0 : (ssize_t)size;
}

enum stn_err
stn_simulate_output_open(struct stn_simulate_output *output,
			 const struct stn_sim *sim)
{
	FILE *filtered = fopencookie(output, "w",
				     (cookie_io_functions_t){
					     .write = write_new });

	if (!filtered)
		return STN_NO_MEMORY;
	fflush(stdout);
	/* Whole lines, so that a line is that of the node that runs. */
	setvbuf(filtered, NULL, _IOLBF, 0);
	output->sim = sim;
	output->real = stdout;
	stdout = filtered;
	return STN_OK;
}

void
stn_simulate_output_root(struct stn_simulate_output *output, uint32_t rank)
{
	if (rank == output->root)
		return;
	if (output->real) {
		fflush(stdout);
		stn_echo_restart(&output->echo);
	}
	output->root = rank;
}

void
stn_simulate_output_fini(struct stn_simulate_output *output)
{
	if (!output->real)
		return;
	fclose(stdout);
	stdout = output->real;
	output->real = NULL;
	stn_echo_fini(&output->echo);
}
