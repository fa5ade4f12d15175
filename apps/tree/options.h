/*
 * options.h: the command line of tree.
 */
#ifndef TREE_OPTIONS_H
#define TREE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define TREE_BRANCHES_MOST 64

/* All numbers have been checked; the whole tree's work in ns fits 63 bits. */
struct tree_options {
	long branches, depth;
	long spread; /* percent */
	int64_t leaf_ns;
	bool spin, sequential;
};

/*
 * tree_options_read: fills @options, defaults included, from the command line.
 * Returns APP_GO_ON, or the exit status to end with at once, after the help
 * on stdout or a complaint on stderr.
 */
int tree_options_read(int argc, char **argv, struct tree_options *options);

#endif
