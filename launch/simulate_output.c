#include "launch/simulate_output.h"

#include <unistd.h>

static ssize_t
write_new(void *arg, const char *bytes, size_t size)
{
	struct stn_simulate_output *output = arg;
	bool differs;
	size_t old = stn_echo_take(&output->echo, (const unsigned char *)bytes,
				   size, &differs);

	if (differs)
		stn_echo_complain(&output->echo, output->root);
	if (fwrite(bytes + old, 1, size - old, output->before) < size - old ||
	    fflush(output->before))
		return 0;
	return (ssize_t)size;
}

enum stn_err
stn_simulate_output_open(struct stn_simulate_output *output)
{
	FILE *filtered = fopencookie(output, "w",
				     (cookie_io_functions_t){
					     .write = write_new });

	if (!filtered)
		return STN_NO_MEMORY;
	if (isatty(STDOUT_FILENO))
		setvbuf(filtered, NULL, _IOLBF, 0);
	output->before = stdout;
	stdout = filtered;
	return STN_OK;
}

void
stn_simulate_output_root(struct stn_simulate_output *output, uint32_t rank)
{
	if (rank == output->root)
		return;
	output->root = rank;
	if (!output->before)
		return;
	fflush(stdout);
	stn_echo_restart(&output->echo);
}

void
stn_simulate_output_fini(struct stn_simulate_output *output)
{
	if (!output->before)
		return;
	fclose(stdout);
	stdout = output->before;
	output->before = NULL;
	stn_echo_fini(&output->echo);
}
