/*
 * show.h: what others see of stealing while the run goes on.
 */
#ifndef STN_STEAL_SHOW_H
#define STN_STEAL_SHOW_H

struct stn_live;

/* stn_steal_show: the service's show; see node/service.h. */
void stn_steal_show(void *steal, struct stn_live *live);

#endif
