/*
 * links.h: the tables of a report's page about messages within and between
 * clusters.
 */
#ifndef APPS_SATEEN_REPORT_LINKS_H
#define APPS_SATEEN_REPORT_LINKS_H

#include "apps/sateen/report/run.h"

/*
 * links_write: the messages by the clusters of sender and receiver. If there
 * are many pairs of clusters, shows the pairs that sent most bytes, and sums of
 * the others; the table of all pairs is folded.
 */
void links_write(const struct run *run, FILE *out);

#endif
