/*
 * tls.h: TLS 1.3 between gateways. Both sides prove that they know the run's
 * secret: there are no certificates, only a key made from the secret, the run's
 * name and the two clusters' (RFC 8446's external PSK, with a fresh
 * Diffie-Hellman exchange for each connection). No tickets, no early data.
 * One thread.
 */
#ifndef STN_TRANSPORT_WAN_TLS_H
#define STN_TRANSPORT_WAN_TLS_H

#include <stdint.h>

#include "transport/wan/line.h"
#include "transport/wan/trunk.h"

struct stn_tls;	    /* what all connections of a gateway have in common */
struct stn_session; /* a connection */

/*
 * stn_tls_create: for the gateway of cluster @mine. @secret is copied.
 */
STN_CHECKED enum stn_err stn_tls_create(const char *run, const char *mine,
					const void *secret, size_t size,
					struct stn_tls **tls_p,
					struct stn_why *why);
void stn_tls_destroy(struct stn_tls *tls);

/*
 * stn_session_create: over the connected socket @fd, which doesn't block and
 * stays the caller's.
 * @to  the cluster we called; NULL: somebody has called us
 */
struct stn_session *stn_session_create(struct stn_tls *tls, int fd,
				       const char *to);
void stn_session_destroy(struct stn_session *session);

enum stn_session_step {
	STN_SESSION_READS,  /* go on when the socket is readable, */
	STN_SESSION_WRITES, /*   or can be written to */
	STN_SESSION_PROVED, /* the other side knows the secret */
	STN_SESSION_FAILED
};

/* stn_session_step: goes on with the handshake. @why says how it failed. */
enum stn_session_step stn_session_step(struct stn_session *session,
				       struct stn_why *why);

/* stn_session_peer: the cluster that is at the other end, when proved. */
const char *stn_session_peer(const struct stn_session *session);

/* What a proved session is for a line, which then owns it. */
extern const struct stn_line_cipher stn_session_cipher;

#endif
