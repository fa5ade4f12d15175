/*
 * tls.h: TLS 1.3 between gateways. Both sides prove that they know the run's
 * secret. There are no certificates, only a key derived from the secret, the
 * run's name and both clusters' names (an external PSK of RFC 8446, with a
 * fresh Diffie-Hellman exchange for each connection). No tickets, no early
 * data. One thread.
 */
#ifndef STN_LAUNCH_GATEWAY_TLS_H
#define STN_LAUNCH_GATEWAY_TLS_H

#include "launch/gateway/stream.h"
#include "launch/gateway/trunk.h"

struct stn_tls;	    /* shared by all connections of a gateway */
struct stn_session; /* one connection */

/* stn_tls_create: for the gateway of cluster @mine. Copies @secret. */
STN_CHECKED enum stn_err stn_tls_create(const char *run, const char *mine,
					const void *secret, size_t size,
					struct stn_tls **tls_p,
					struct stn_why *why);
void stn_tls_destroy(struct stn_tls *tls);

/*
 * stn_session_create: TLS over the connected socket @fd, which must not block
 * and remains the caller's.
 * @to  the cluster that this gateway has called; NULL: it was called
 * Returns NULL if there is no memory.
 */
struct stn_session *stn_session_create(struct stn_tls *tls, int fd,
				       const char *to);
void stn_session_destroy(struct stn_session *session);

enum stn_session_step {
	STN_SESSION_READS,  /* continue when the socket is readable */
	STN_SESSION_WRITES, /* continue when the socket is writable */
	STN_SESSION_PROVED, /* the other side knows the secret */
	STN_SESSION_FAILED
};

/* stn_session_step: continues the handshake. @why is set if it fails. */
enum stn_session_step stn_session_step(struct stn_session *session,
				       struct stn_why *why);

/* stn_session_peer: the cluster at the other end, once proved. */
const char *stn_session_peer(const struct stn_session *session);

/* The cipher of a proved session, which its stream then owns. */
extern const struct stn_stream_cipher stn_session_cipher;

#endif
