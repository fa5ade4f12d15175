/*
 * beside.h: a service that runs the model of model.h beside a program, on the
 * nodes of its run: `STN_NEWS=POLICY sateen sim -n 16 ./jacobi_news`. Each node
 * but the last has several of the model's nodes, and the last one has the
 * server.
 */
#ifndef BENCH_NEWS_BESIDE_H
#define BENCH_NEWS_BESIDE_H

#include "node/service.h"

extern const struct stn_service beside_service;

#endif
