/*
 * links_find.c: files of links that come with Sateen. In a build tree they are
 * those of the source, as in `sateen help`.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emul/links.h"
#include "transport/own_program.h"

#define ENDING ".links"
#define DIRECTORIES 3
#define NAMES_ROOM 300 /* bytes of the names in a message */

static const char *const links_places[DIRECTORIES] = { "../emul/links",
						       "../share/sateen",
						       STN_DATADIR };

static int
is_links(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return end && !strcmp(end, ENDING);
}

/* Writes the names of the first directory that has some, by commas. */
static void
list_names(char text[NAMES_ROOM])
{
	struct dirent **list;
	char path[STN_LINKS_PATH];
	size_t at = 0;
	int count = 0;

	*text = '\0';
	for (int i = 0; i < DIRECTORIES && count <= 0; i++) {
		if (!stn_own_place(links_places[i], path, sizeof(path)))
			continue;
		count = scandir(path, &list, is_links, alphasort);
		if (!count)
			free(list);
	}
	for (int i = 0; i < count; i++) {
		const char *name = list[i]->d_name;

		if (at < NAMES_ROOM)
			at += (size_t)snprintf(text + at, NAMES_ROOM - at,
					       "%s%.*s", i ? ", " : "",
					       (int)(strlen(name) -
						     strlen(ENDING)),
					       name);
		free(list[i]);
	}
	if (count > 0)
		free(list);
}

static enum stn_err
no_links(const char *name, struct stn_why *why)
{
	char names[NAMES_ROOM];

	list_names(names);
	return stn_because(why, STN_INVALID,
			   "there is no file of links \"%.60s\" in this "
			   "directory; Sateen has: %s",
			   name, *names ? names : "none, as it is not installed");
}

static bool
is_directory(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISDIR(about.st_mode);
}

enum stn_err
stn_links_find(char path[STN_LINKS_PATH], struct stn_why *why)
{
	static const char *const endings[] = { "", ENDING };
	char directory[STN_LINKS_PATH], found[2 * STN_LINKS_PATH];

	if (!strcmp(path, "none") || strchr(path, '/') ||
	    (!access(path, F_OK) && !is_directory(path)))
		return STN_OK;
	for (int i = 0; i < 2 * DIRECTORIES; i++) {
		if (!stn_own_place(links_places[i / 2], directory,
				   sizeof(directory)))
			continue;
		snprintf(found, sizeof(found), "%s/%s%s", directory, path,
			 endings[i % 2]);
		if (access(found, F_OK) || is_directory(found) ||
		    strlen(found) >= STN_LINKS_PATH)
			continue;
		strcpy(path, found);
		return STN_OK;
	}
	return no_links(path, why);
}
