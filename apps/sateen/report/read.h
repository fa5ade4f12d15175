/*
 * read.h: reads a file in Chrome's trace event format, one event at a time.
 */
#ifndef APPS_SATEEN_REPORT_READ_H
#define APPS_SATEEN_REPORT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_BYTES 128 /* of a text, with its end; longer ones are cut */

/* An event: the members that a report needs; others are skipped. */
struct event {
	char phase;
	uint64_t pid, tid;
	char name[TEXT_BYTES], category[TEXT_BYTES];
	uint64_t at_ns, took_ns;
	uint64_t id;
	bool has_node;
	uint64_t node, bytes;	/* args.node, args.bytes */
	char label[TEXT_BYTES]; /* args.name */
};

/*
 * The functions to call for parts of the file. If one returns false, the file
 * is refused.
 */
struct reader {
	bool (*event)(void *arg, const struct event *event);
	/* A member of otherData; numbers come as their digits. */
	bool (*about)(void *arg, const char *member, const char *text);
	void *arg;
};

/*
 * read_events: reads a whole file. Returns NULL, or a constant text that says
 * what is wrong with the file.
 */
const char *read_events(FILE *file, const struct reader *reader);

#endif
