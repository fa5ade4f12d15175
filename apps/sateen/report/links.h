/*
 * links.h: the tables of a report's page about messages within and between
 * clusters.
 */
#ifndef APPS_SATEEN_REPORT_LINKS_H
#define APPS_SATEEN_REPORT_LINKS_H

#include "apps/sateen/report/run.h"

/*
 * links_write: the messages by the clusters of sender and receiver. If there
 * are many pairs of clusters, those that sent most, and sums; all pairs are
 * folded in.
 */
void links_write(const struct run *run, FILE *out);

#endif
