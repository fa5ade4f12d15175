/*
 * standard.h: the standard descriptors of a process that was started with some
 * of them closed.
 */
#ifndef STN_LAUNCH_STANDARD_H
#define STN_LAUNCH_STANDARD_H

/*
 * stn_standard_open: opens /dev/null in place of closed standard descriptors,
 * so that no other file gets the number of standard input, output or error.
 * Called before the process opens files. It opens it for reading: writing to a
 * standard output that was closed fails as before.
 */
void stn_standard_open(void);

#endif
