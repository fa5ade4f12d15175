#include "launch/gateway/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define RECORDS_MOST (1u << 22)
#define FRAME_BYTES 22 /* of a record: its head, type and tag */
/* Four whole records. OpenSSL leaves the first bytes free. */
#define READ_AHEAD (4 * (STN_SEGMENT_BYTES + FRAME_BYTES) + 3)
#define KEY_BYTES 32
#define IDENTITY_BYTES (16 + 3 * STN_NAME_BYTES)
/* The key is bound to this suite's hash. */
#define SUITE "TLS_AES_128_GCM_SHA256"

static const unsigned char suite_id[] = { 0x13, 0x01 };
static const unsigned char context_id[] =
	"sateen"; /* any value, but the same on both sides */

struct stn_tls {
	SSL_CTX *context;
	BIO_METHOD *socket;
	char run[STN_NAME_BYTES], mine[STN_NAME_BYTES];
	size_t secret_bytes;
	unsigned char *secret;
};

struct stn_session {
	struct stn_tls *tls;
	SSL *ssl;
	int fd;
	unsigned reads; /* since it was drained */
	bool drained; /* the socket has no more, or other streams have a turn */
	bool more;    /* the next record follows at once */
	char peer[STN_NAME_BYTES];
	char identity[IDENTITY_BYTES]; /* of the key: shown by the side that has
					  opened the connection */
	bool wrong_run;
	unsigned records; /* written with the present key */
};

/*
 * The key's identity: the run, the cluster that opens the connection, and the
 * other one. Gateways of two versions of Sateen share keys, so that each reads
 * the other's version in its HELLO, and can name the cause.
 */
static void
name_identity(char identity[IDENTITY_BYTES], const char *run, const char *from,
	      const char *to)
{
	snprintf(identity, IDENTITY_BYTES, "sateen/1/%s/%s/%s", run, from, to);
}

/* Derives the key of an identity from the secret: HKDF (RFC 5869). */
static bool
make_key(const struct stn_tls *tls, const char *identity,
	 unsigned char key[KEY_BYTES])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
	static const unsigned char salt[] = "sateen between clusters";
	size_t size = KEY_BYTES;
	bool made;

	made = context && EVP_PKEY_derive_init(context) > 0 &&
	       EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) > 0 &&
	       EVP_PKEY_CTX_set1_hkdf_salt(context, salt, sizeof(salt)) > 0 &&
	       EVP_PKEY_CTX_set1_hkdf_key(context, tls->secret,
					  (int)tls->secret_bytes) > 0 &&
	       EVP_PKEY_CTX_add1_hkdf_info(context,
					   (const unsigned char *)identity,
					   (int)strlen(identity)) > 0 &&
	       EVP_PKEY_derive(context, key, &size) > 0 && size == KEY_BYTES;
	EVP_PKEY_CTX_free(context);
	return made;
}

/* OpenSSL takes an external key in the form of an earlier session. */
static SSL_SESSION *
make_session(SSL *ssl, const struct stn_tls *tls, const char *identity)
{
	const SSL_CIPHER *suite = SSL_CIPHER_find(ssl, suite_id);
	SSL_SESSION *session = SSL_SESSION_new();
	unsigned char key[KEY_BYTES];
	bool made;

	made = suite && session && make_key(tls, identity, key) &&
	       SSL_SESSION_set1_master_key(session, key, sizeof(key)) &&
	       SSL_SESSION_set1_id_context(session, context_id,
					   sizeof(context_id)) &&
	       SSL_SESSION_set_cipher(session, suite) &&
	       SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION);
	OPENSSL_cleanse(key, sizeof(key));
	if (made)
		return session;
	SSL_SESSION_free(session);
	return NULL;
}

/*
 * The side that has opened the connection shows its identity. OpenSSL calls
 * this a second time if the other side asks for another key share.
 */
static int
use_key(SSL *ssl, const EVP_MD *hash, const unsigned char **id,
	size_t *id_bytes, SSL_SESSION **session_p)
{
	struct stn_session *session = SSL_get_app_data(ssl);

	*session_p = NULL;
	*id = NULL;
	*id_bytes = 0;
	if (hash && !EVP_MD_is_a(hash, "SHA256"))
		return 1;
	*session_p = make_session(ssl, session->tls, session->identity);
	if (!*session_p)
		return 0;
	*id = (const unsigned char *)session->identity;
	*id_bytes = strlen(session->identity);
	return 1;
}

/* Parses "sateen/1/RUN/FROM/TO"; false if it is not meant for this gateway. */
static bool
read_identity(struct stn_session *session, char *text)
{
	const struct stn_tls *tls = session->tls;
	char expected[IDENTITY_BYTES], *run, *from, *to;

	if (strncmp(text, "sateen/", 7) || !(run = strchr(text + 7, '/')))
		return false;
	from = strchr(++run, '/');
	to = from ? strchr(from + 1, '/') : NULL;
	if (!to)
		return false;
	*from++ = *to++ = '\0';
	session->wrong_run = strcmp(run, tls->run);
	if (!stn_name_good(run) || !stn_name_good(from) ||
	    strcmp(to, tls->mine) || !strcmp(from, tls->mine))
		return false;
	strcpy(session->peer, from);
	name_identity(expected, tls->run, from, to);
	strcpy(session->identity, expected);
	return !session->wrong_run;
}

/* The side that was called looks up the key of the identity it is shown. */
static int
find_key(SSL *ssl, const unsigned char *id, size_t id_bytes,
	 SSL_SESSION **session_p)
{
	struct stn_session *session = SSL_get_app_data(ssl);
	char text[IDENTITY_BYTES];

	*session_p = NULL;
	if (id_bytes >= sizeof(text) || memchr(id, '\0', id_bytes))
		return 1;
	memcpy(text, id, id_bytes);
	text[id_bytes] = '\0';
	if (!read_identity(session, text))
		return 1;
	/*
	 * The identity must be byte for byte the one that the key is made for.
	 */
	if (strlen(session->identity) != id_bytes ||
	    memcmp(session->identity, id, id_bytes))
		return 1;
	*session_p = make_session(ssl, session->tls, session->identity);
	return *session_p != NULL;
}

/*
 * A BIO between OpenSSL and the socket, with two savings: a read that has got
 * less than it had room for makes the next one, which would find nothing,
 * unnecessary; and consecutive records leave together (MSG_MORE).
 */
static int
socket_read(BIO *bio, char *bytes, int size)
{
	struct stn_session *session = BIO_get_data(bio);
	ssize_t got = -1;

	BIO_clear_retry_flags(bio);
	if (!session->drained) {
		got = recv(session->fd, bytes, (size_t)size, 0);
		session->drained =
			got > 0 &&
			(got < size || ++session->reads == STN_STREAM_READS);
	}
	if (got < 0 && (session->drained || errno == EAGAIN || errno == EINTR))
		BIO_set_retry_read(bio);
	return (int)got;
}

static int
socket_write(BIO *bio, const char *bytes, int size)
{
	struct stn_session *session = BIO_get_data(bio);
	ssize_t sent = send(session->fd, bytes, (size_t)size,
			    MSG_NOSIGNAL | (session->more ? MSG_MORE : 0));

	BIO_clear_retry_flags(bio);
	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_write(bio);
	return (int)sent;
}

static long
socket_control(BIO *bio, int what, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	return what == BIO_CTRL_FLUSH; /* the BIO buffers nothing */
}

static BIO_METHOD *
make_socket(void)
{
	BIO_METHOD *method = BIO_meth_new(
		BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "sateen socket");

	if (method && BIO_meth_set_read(method, socket_read) &&
	    BIO_meth_set_write(method, socket_write) &&
	    BIO_meth_set_ctrl(method, socket_control))
		return method;
	BIO_meth_free(method);
	return NULL;
}

/* The socket has reported an event. */
static void
refresh(struct stn_session *session)
{
	session->reads = 0;
	session->drained = false;
}

static bool
give_socket(struct stn_session *session)
{
	BIO *bio = BIO_new(session->tls->socket);

	if (!bio)
		return false;
	BIO_set_data(bio, session);
	BIO_set_init(bio, 1);
	SSL_set_bio(session->ssl, bio, bio);
	return true;
}

static bool
configure(SSL_CTX *context)
{
	SSL_CTX_set_options(context, SSL_OP_NO_TICKET |
					     SSL_OP_NO_RENEGOTIATION |
					     SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
					  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					  SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_psk_use_session_callback(context, use_key);
	SSL_CTX_set_psk_find_session_callback(context, find_key);
	/* No certificate is accepted; gateways have none. */
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	return SSL_CTX_set_session_id_context(context, context_id,
					      sizeof(context_id)) &&
	       SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) &&
	       SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) &&
	       SSL_CTX_set_ciphersuites(context, SUITE) &&
	       SSL_CTX_set_num_tickets(context, 0) &&
	       SSL_CTX_set_max_early_data(context, 0);
}

enum stn_err
stn_tls_create(const char *run, const char *mine, const void *secret,
	       size_t size, struct stn_tls **tls_p, struct stn_why *why)
{
	struct stn_tls *tls = calloc(1, sizeof(*tls));

	if (!tls)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	strcpy(tls->run, run);
	strcpy(tls->mine, mine);
	tls->secret = malloc(size);
	tls->context = SSL_CTX_new(TLS_method());
	tls->socket = make_socket();
	if (!tls->secret || !tls->context || !tls->socket ||
	    !configure(tls->context)) {
		stn_tls_destroy(tls);
		return stn_because(why, STN_MISSING,
				   "OpenSSL can't do TLS 1.3 with " SUITE);
	}
	memcpy(tls->secret, secret, size);
	tls->secret_bytes = size;
	*tls_p = tls;
	return STN_OK;
}

void
stn_tls_destroy(struct stn_tls *tls)
{
	if (!tls)
		return;
	if (tls->secret)
		OPENSSL_cleanse(tls->secret, tls->secret_bytes);
	free(tls->secret);
	SSL_CTX_free(tls->context);
	BIO_meth_free(tls->socket);
	free(tls);
}

struct stn_session *
stn_session_create(struct stn_tls *tls, int fd, const char *to)
{
	struct stn_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->tls = tls;
	session->fd = fd;
	session->ssl = SSL_new(tls->context);
	if (!session->ssl || !give_socket(session)) {
		stn_session_destroy(session);
		return NULL;
	}
	SSL_set_app_data(session->ssl, session);
	if (to) {
		strcpy(session->peer, to);
		name_identity(session->identity, tls->run, tls->mine, to);
		SSL_set_connect_state(session->ssl);
	} else {
		SSL_set_accept_state(session->ssl);
	}
	return session;
}

void
stn_session_destroy(struct stn_session *session)
{
	if (!session)
		return;
	SSL_free(session->ssl);
	free(session);
}

/*
 * Explains common mistakes in words. All other errors are those of strangers.
 */
static const char *
tls_explain(const struct stn_session *session)
{
	unsigned long err = ERR_peek_error();

	if (session->wrong_run)
		return "it is of another run";
	switch (ERR_GET_REASON(err)) {
	case SSL_R_BINDER_DOES_NOT_VERIFY:
	case SSL_R_BAD_PSK:
	case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
	case SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER:
		return "its secret differs from this gateway's";
	}
	return "it does not prove that it knows the run's secret";
}

/* A connection that has proved itself may keep its buffers. */
static void
widen(SSL *ssl)
{
	SSL_clear_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
	SSL_set_default_read_buffer_len(ssl, READ_AHEAD);
	SSL_set_read_ahead(ssl, 1);
}

enum stn_session_step
stn_session_step(struct stn_session *session, struct stn_why *why)
{
	int result;

	ERR_clear_error();
	refresh(session);
	result = SSL_do_handshake(session->ssl);
	if (result == 1) {
		if (SSL_session_reused(session->ssl) && *session->peer) {
			widen(session->ssl);
			return STN_SESSION_PROVED;
		}
		stn_because(why, STN_REFUSED, "it did not use the secret");
		return STN_SESSION_FAILED;
	}
	switch (SSL_get_error(session->ssl, result)) {
	case SSL_ERROR_WANT_READ:
		return STN_SESSION_READS;
	case SSL_ERROR_WANT_WRITE:
		return STN_SESSION_WRITES;
	case SSL_ERROR_SSL:
		stn_because(why, STN_REFUSED, "%s", tls_explain(session));
		break;
	default:
		stn_because(why, STN_LOST, "it hung up");
	}
	ERR_clear_error();
	return STN_SESSION_FAILED;
}

const char *
stn_session_peer(const struct stn_session *session)
{
	return session->peer;
}

/* Returns 0 if nothing can be taken now, -1 if the connection is over. */
static ssize_t
failure_of(struct stn_session *session, int result)
{
	switch (SSL_get_error(session->ssl, result)) {
	case SSL_ERROR_WANT_READ:
	case SSL_ERROR_WANT_WRITE:
		return 0;
	}
	ERR_clear_error();
	return -1;
}

static ssize_t
session_read(void *state, void *bytes, size_t size)
{
	struct stn_session *session = state;
	size_t got;
	int result;

	ERR_clear_error();
	result = SSL_read_ex(session->ssl, bytes, size, &got);
	if (result > 0)
		return (ssize_t)got;
	refresh(session); /* for the next event */
	return failure_of(session, result);
}

/* A key is good for a limited number of records (RFC 8446, section 5.5). */
static void
count_record(struct stn_session *session)
{
	if (++session->records < RECORDS_MOST)
		return;
	session->records = 0;
	if (!SSL_key_update(session->ssl, SSL_KEY_UPDATE_NOT_REQUESTED))
		ERR_clear_error(); /* tried again later */
}

static ssize_t
session_write(void *state, const void *bytes, size_t size)
{
	struct stn_session *session = state;
	size_t sent;
	int result;

	session->more = size > STN_SEGMENT_BYTES;
	if (session->more)
		size = STN_SEGMENT_BYTES; /* one record */
	ERR_clear_error();
	result = SSL_write_ex(session->ssl, bytes, size, &sent);
	if (result <= 0)
		return failure_of(session, result);
	count_record(session);
	return (ssize_t)sent;
}

static void
session_close(void *state)
{
	stn_session_destroy(state);
}

const struct stn_stream_cipher stn_session_cipher = {
	.read = session_read,
	.write = session_write,
	.destroy = session_close,
};
