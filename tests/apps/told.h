/*
 * told.h: programs of apps that are compiled with this header by -include say
 * on stderr how many units of progress they have done, and how many they have
 * known, where they end their report. With one worker these are the sums of the
 * run.
 */
#ifndef TOLD_H
#define TOLD_H

#include <stdio.h>
#include <sateen.h>

#undef STN_PROGRESS_END
#define STN_PROGRESS_END()                                                     \
	fprintf(stderr, "progress: %llu of %llu\n",                            \
		(unsigned long long)stn_frame->deque->done,                    \
		(unsigned long long)stn_frame->deque->known)

#endif
