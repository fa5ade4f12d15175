/*
 * verbs_peer.h: the functions of verbs_peer.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_PEER_H
#define STN_TRANSPORT_VERBS_VERBS_PEER_H

#include "transport/verbs/verbs.h"

/*
 * verbs_is_connecting: is a connection being established?
 * verbs_is_open: is the connection established?
 */
bool verbs_is_connecting(const struct verbs_peer *peer);
bool verbs_is_open(const struct verbs_peer *peer);

/* verbs_broken: a connection has broken. @how explains it to users. */
void verbs_broken(struct verbs *verbs, struct verbs_peer *peer,
		  const char *how);

/*
 * verbs_set_pending: adds a peer to the list of peers that connect or have a
 * backlog.
 * verbs_progress_pending: works on these peers; returns how much it did.
 */
void verbs_set_pending(struct verbs *verbs, struct verbs_peer *peer);

#endif
