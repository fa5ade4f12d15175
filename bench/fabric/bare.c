#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bench/fabric/bare.h"

#include <string.h>

/* The bare paths that are measured beside each transport, by its provider. */
static const struct {
	const char *transport;
	const char *providers; /* separated by spaces; NULL: any */
	const struct path_ops *ops;
} beside[] = {
#ifdef HAVE_LIBFABRIC
	{ "ofi", NULL, &bare_ofi_send },
	{ "ofi", NULL, &bare_ofi_read },
	{ "ofi", "auto tcp net udp sockets", &bare_tcp },
#endif
#ifdef HAVE_UCX
	{ "ucx", NULL, &bare_ucx },
	{ "ucx", "tcp", &bare_tcp },
#endif
	{ "shm", NULL, &bare_lines },
	{ "shm", NULL, &bare_shm },
#ifdef HAVE_UCX
	{ "shm", "auto", &bare_ucx },
#endif
#ifdef HAVE_GATEWAYS
	{ "far", NULL, &bare_relay },
#endif
#ifdef HAVE_VERBS
	{ "verbs", NULL, &bare_verbs_send },
	{ "verbs", NULL, &bare_verbs_read },
#endif
};

#define BESIDE (sizeof(beside) / sizeof(beside[0]))

/* Returns true if @name is one of the words separated by spaces. */
static bool
among(const char *words, const char *name)
{
	size_t length = strlen(name);

	for (; words; words = strchr(words, ' ')) {
		words += *words == ' ';
		if (!strncmp(words, name, length) &&
		    (!words[length] || words[length] == ' '))
			return true;
	}
	return false;
}

const struct path_ops *
bare_find(const char *transport, const char *provider, unsigned index)
{
	for (size_t i = 0; i < BESIDE; i++)
		if (!strcmp(beside[i].transport, transport) &&
		    (!beside[i].providers ||
		     among(beside[i].providers, provider)) &&
		    !index--)
			return beside[i].ops;
	return NULL;
}
