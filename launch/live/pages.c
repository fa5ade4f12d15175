#include "launch/live/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/units.h"

static void *
pages_map(int fd, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

enum stn_err
stn_live_pages_init(struct stn_live_pages *pages, uint32_t count, bool shared)
{
	size_t bytes = count * sizeof(pages->list[0]);

	pages->fd = shared ? memfd_create("sateen-live", MFD_CLOEXEC) : -1;
	pages->count = count;
	if (!shared || (pages->fd >= 0 && !ftruncate(pages->fd, (off_t)bytes)))
		pages->list = pages_map(pages->fd, bytes);
	if (pages->list)
		return STN_OK;
	if (pages->fd >= 0)
		close(pages->fd);
	return STN_NO_MEMORY;
}

void
stn_live_pages_fini(struct stn_live_pages *pages)
{
	if (!pages->list)
		return;
	munmap(pages->list, pages->count * sizeof(pages->list[0]));
	if (pages->fd >= 0)
		close(pages->fd);
	pages->list = NULL;
}

/* Reads a number from the environment, which the process then has no more. */
static bool
page_number(const char *name, uint64_t *number_p)
{
	const char *text = getenv(name);
	bool good = text && !stn_parse_count(text, 0, INT32_MAX, number_p);

	unsetenv(name);
	return good;
}

void
stn_live_pages_join(struct stn_live_pages *pages)
{
	uint64_t fd, index;
	bool named = page_number(STN_JOIN_LIVE, &fd);
	bool placed = page_number(STN_JOIN_LIVE_INDEX, &index);
	struct stat is;
	size_t count;

	memset(pages, 0, sizeof(*pages));
	if (!named || fstat((int)fd, &is) || !S_ISREG(is.st_mode))
		return;
	count = (size_t)is.st_size / sizeof(pages->list[0]);
	if (placed && index < count)
		pages->list =
			pages_map((int)fd, count * sizeof(pages->list[0]));
	if (pages->list) {
		pages->list += index;
		pages->count = (uint32_t)(count - index);
		pages->fd = -1;
	}
	close((int)fd);
}

struct stn_live *
stn_live_pages_at(const struct stn_live_pages *pages, uint32_t index)
{
	return pages->list && index < pages->count ? &pages->list[index] : NULL;
}
