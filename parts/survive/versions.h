/*
 * versions.h: which version of an array's parts is copied next. Net lock held.
 *
 * Parts have different versions at a time, and all are to be copied in the same
 * one. So the root announces the version before any part has reached it
 * (VERSION). Each node tells the root how many parts have their copies (SAFE).
 * When all have, the version is complete, and the root announces the next one:
 * so many blocks later that copying takes 1 % of the time of sweeping, as
 * measured by all nodes. The root gives up an incomplete version and announces
 * a later one in two cases: a part has passed the version before its node heard
 * of it; and there is a new view of the membership.
 *
 * The versions that are written to disk (store.h) are others, since disks and
 * links differ in speed, but the root announces them and counts their parts by
 * the same messages. It announces the next one when that is due (store.h).
 */
#ifndef STN_PARTS_SURVIVE_VERSIONS_H
#define STN_PARTS_SURVIVE_VERSIONS_H

#include "parts/parts.h"

/*
 * As long as the costs of copies are unknown, versions to be copied are at
 * least so many blocks and sweeps apart.
 */
#define STN_VERSIONS_BLOCKS 16
#define STN_VERSIONS_SWEEPS 100

/*
 * stn_versions_begin: an operation begins: sets the first version to be copied.
 * stn_versions_report: tells the root how many parts of this node are copied
 * and written, and the costs (SAFE).
 * stn_versions_said: on the root: SAFE has arrived.
 * stn_versions_set: VERSION has arrived, and was passed on.
 * stn_versions_regroup: on the root: a view was applied: announces versions.
 * stn_versions_look_after: on the root: announces a version to be written, when
 * it is time. Returns when to call it again, in ns as @now.
 */
void stn_versions_begin(struct stn_parts *array);
void stn_versions_report(struct stn_parts *array);
void stn_versions_said(struct stn_parts *array,
		       const struct stn_parts_safe *said);
void stn_versions_set(struct stn_parts *array,
		      const struct stn_parts_version *version);
void stn_versions_regroup(struct stn_parts *array);
uint64_t stn_versions_look_after(struct stn_parts_service *service,
				 uint64_t now);

#endif
