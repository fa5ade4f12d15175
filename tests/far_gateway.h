/*
 * far_gateway.h: a gateway of one cluster, as a thread of the test, which
 * knows no more than to answer nodes and to switch. Several nets may use it at
 * once: whoever comes with a rank that was taken begins a new one.
 */
#ifndef TESTS_FAR_GATEWAY_H
#define TESTS_FAR_GATEWAY_H

#include <stdbool.h>

/* far_gateway_start: and sets STN_GATEWAY. False if that failed. */
bool far_gateway_start(void);

#endif
