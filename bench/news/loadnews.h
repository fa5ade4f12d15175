/*
 * loadnews.h: the command line of loadnews.
 */
#ifndef BENCH_NEWS_LOADNEWS_H
#define BENCH_NEWS_LOADNEWS_H

#include "parts/news/news.h"

struct loadnews_options {
	const struct stn_news_policy *policy;
	uint64_t nodes, samples, rounds, seed, service_ns, frame_bytes;
	struct stn_link lan;
	bool shared, apart, plain;
};

/* loadnews_options: reads the command line; ends the process if it is wrong. */
struct loadnews_options loadnews_options(int argc, char **argv);

#endif
