/*
 * shm_receive.h: the functions of shm_receive.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_SHM_SHM_RECEIVE_H
#define STN_TRANSPORT_SHM_SHM_RECEIVE_H

#include "transport/shm/shm.h"

/* shm_receive: handles arrived packets; returns how many. */
unsigned shm_receive(struct shm *shm);

/* shm_has_news: would shm_receive find anything? */
bool shm_has_news(const struct shm *shm);

/* shm_is_drained: has everything been handled that a peer put into its ring? */
bool shm_is_drained(const struct shm *shm, uint32_t rank);

/* shm_forget_sender: receives nothing from a peer any more. */
void shm_forget_sender(struct shm *shm, uint32_t rank);

#endif
