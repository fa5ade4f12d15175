/*
 * advice.h: what may make a run faster, in words.
 */
#ifndef APPS_SATEEN_REPORT_ADVICE_H
#define APPS_SATEEN_REPORT_ADVICE_H

#include <stdio.h>

#include "apps/sateen/report/profile.h"

#define ADVICE_ROOM 400 /* bytes of a piece of advice at most, with its end */

/*
 * advice_write: calls @say with each piece of advice, some sentences, of which
 * one may have an option (--balancer).
 */
void advice_write(const struct run *run, const struct profile *profile,
		  void (*say)(void *arg, const char *text), void *arg);

#endif
