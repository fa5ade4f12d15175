/*
 * options.h: the command line of tree.
 */
#ifndef TREE_OPTIONS_H
#define TREE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define TREE_BRANCHES_MOST 64

/* Checked options. The whole tree's work in nanoseconds fits 63 bits. */
struct tree_options {
	long branches, depth;
	long spread; /* percent */
	int64_t leaf_ns;
	bool spin, sequential;
};

/*
 * tree_options_read: sets all of @options from the command line and defaults.
 * Returns APP_GO_ON. Or returns the exit status to end with at once, after it
 * has printed the help on stdout or a complaint on stderr.
 */
int tree_options_read(int argc, char **argv, struct tree_options *options);

#endif
