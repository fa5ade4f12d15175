#include "apps/sateen/top/view.h"

enum stn_err
top_view(top_look *look, void *arg, struct stn_why *why)
{
	(void)look, (void)arg;
	return stn_because(why, STN_INVALID,
			   "this sateen was built without ncurses; use "
			   "sateen top --once RUN");
}
