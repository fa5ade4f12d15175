/*
 * trace.h: the service of --trace FILE. Each node records events (event.h) in
 * a bounded memory. When the workers have ended, the nodes compare their clocks
 * with the root's and send it their events, and the root writes one file, with
 * one time axis (chrome.h). Events of nodes that have died or left are lost.
 *
 *	kind       header                                      payload
 *	CLOCK 93   0 the sender's time (64)                    -
 *	TIME 94    0 that time (64), 8 the root's time (64)    -
 *	TRACE 95   0 offset of the sender's clock (64),        events, as in
 *	           8 error of the offset (64),                 event.h
 *	           16 events that were lost (64),
 *	           24 workers (64), 32 work (64),
 *	           40 span (64), 48 whether these
 *	           are all events (64)
 *	CUT 29     -                                           -
 *
 * If the run is interrupted, the root asks all nodes by CUT for the events so
 * far, and writes the file when it has them, or after a second.
 *
 * Times are in ns. The offset is what has to be added to the sender's times.
 * It is estimated as NTP does it, from the fastest of some exchanges: half of
 * the round trip is the error. Nodes of one host have one clock. Work and span
 * are those of struct stn_trace_part.
 */
#ifndef STN_NODE_TRACE_TRACE_H
#define STN_NODE_TRACE_TRACE_H

#include "node/service.h"

enum { STN_CLOCK = 93, STN_TIME = 94, STN_TRACE = 95, STN_CUT = 29 };

extern const struct stn_service stn_trace_service;

#endif
