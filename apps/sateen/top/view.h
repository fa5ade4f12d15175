/*
 * view.h: the view of `sateen top`, which redraws itself on a terminal.
 */
#ifndef APPS_SATEEN_TOP_VIEW_H
#define APPS_SATEEN_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/error.h"

/* Makes the text of the view, which the caller frees. */
typedef enum stn_err top_look(void *arg, char **text_p, struct stn_why *why);

/*
 * top_view: shows the text of @look, and again every second, until the user
 * ends that or @look fails. STN_OK: the user has ended it; STN_INVALID: there
 * is no terminal, or this sateen was built without ncurses; else what @look has
 * returned.
 */
STN_CHECKED enum stn_err top_view(top_look *look, void *arg,
				  struct stn_why *why);

#endif
