/* verbs_peer.c: the state of the connection with a peer. */
#include "transport/peers.h"
#include "transport/verbs/verbs.h"

bool
verbs_is_open(const struct verbs_peer *peer)
{
	return peer->joined && peer->peer_joined && !peer->broken &&
	       !peer->dead;
}

bool
verbs_is_connecting(const struct verbs_peer *peer)
{
	return peer->pair && !peer->broken &&
	       !(peer->joined && peer->peer_joined);
}

void
verbs_set_pending(struct verbs *verbs, struct verbs_peer *peer)
{
	if (peer->pending)
		return;
	peer->pending = true;
	peer->next_pending = verbs->pending;
	verbs->pending = peer;
}

void
verbs_broken(struct verbs *verbs, struct verbs_peer *peer, const char *how)
{
	if (peer->broken || peer->dead)
		return;
	peer->broken = true;
	stn_peers_lost(&verbs->base, verbs_rank(verbs, peer), how);
}
