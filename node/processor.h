/*
 * processor.h: what the processors of a run can compute.
 */
#ifndef STN_NODE_PROCESSOR_H
#define STN_NODE_PROCESSOR_H

#include <stdbool.h>

#include "node/config.h"

/*
 * stn_processor_fuses: whether this processor computes a * b + c with one
 * rounding, and the settings let programs use that.
 */
bool stn_processor_fuses(const struct stn_config *config);

#endif
