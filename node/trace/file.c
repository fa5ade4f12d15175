#include "node/trace/file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "node/trace/chrome.h"

enum stn_err
stn_trace_file_open(struct stn_trace_file *file, const struct stn_node *node,
		    struct stn_why *why)
{
	const char *path = stn_config_trace_file(node->config);

	file->file = fopen(path, "we");
	if (file->file)
		return STN_OK;
	return stn_because(why, STN_IO,
			   "can't write the trace %.100s: %s; choose another "
			   "--trace",
			   path, strerror(errno));
}

void
stn_trace_file_fini(struct stn_trace_file *file)
{
	if (file->file)
		fclose(file->file);
	file->file = NULL;
}

static void
tell_lost(const struct stn_node *node, const struct stn_trace_part *parts)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < node->topology->nodes; i++)
		lost += parts[i].lost;
	if (lost)
		fprintf(stderr,
			"sateen: the trace lacks the %" PRIu64 " oldest "
			"events; raise --trace-memory\n",
			lost);
}

static enum stn_err
write_events(struct stn_trace_file *file, const struct stn_node *node,
	     const struct stn_trace_part *parts)
{
	enum stn_err err = stn_trace_chrome(node, parts, file->file);
	bool failed = ferror(file->file);

	failed |= fclose(file->file);
	file->file = NULL;
	if (!err && !failed)
		return STN_OK;
	fprintf(stderr, "sateen: can't write the trace %s: %s\n",
		stn_config_trace_file(node->config),
		err ? stn_err_text(err) : strerror(errno));
	return STN_IO;
}

enum stn_err
stn_trace_file_write(struct stn_trace_file *file, const struct stn_node *node,
		     const struct stn_trace_part *parts)
{
	struct stn_why why;

	if (!file->file && stn_trace_file_open(file, node, &why)) {
		fprintf(stderr, "sateen: %s\n", why.text);
		return STN_IO;
	}
	tell_lost(node, parts);
	return write_events(file, node, parts);
}
