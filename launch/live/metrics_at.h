/*
 * metrics_at.h: where the metrics of a run are served: the setting metrics.
 */
#ifndef STN_LAUNCH_LIVE_METRICS_AT_H
#define STN_LAUNCH_LIVE_METRICS_AT_H

#include "launch/gateway/host_port.h"
#include "transport/error.h"

/*
 * stn_metrics_at: reads "PORT", which is on 127.0.0.1, "ADDRESS:PORT" or
 * "[ADDRESS]:PORT". STN_INVALID if it is none of these.
 */
STN_CHECKED enum stn_err
stn_metrics_at(const char *text, struct stn_host_port *at, struct stn_why *why);

#endif
