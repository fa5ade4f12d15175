#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>

#include "transport/units.h"
#include "launch/gateway/meeting_private.h"

static const struct timeval patience = { 5, 0 };

static redisReply *meeting_ask(struct stn_meeting *meeting, struct stn_why *why,
			       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Why the last question has got no reply. If the timeout has passed, recv has failed
 * with EAGAIN.
 */
static const char *
no_reply(const redisContext *redis)
{
	if (redis->err == REDIS_ERR_IO && errno == EAGAIN)
		return "it has not answered for 5 s";
	return redis->errstr;
}

/*
 * Asks and waits. Returns the reply, which the caller frees; NULL if it is an
 * error, or did not come.
 */
static redisReply *
meeting_ask(struct stn_meeting *meeting, struct stn_why *why,
	    const char *format, ...)
{
	redisReply *reply;
	va_list list;

	va_start(list, format);
	reply = redisvCommand(meeting->redis, format, list);
	va_end(list);
	if (!reply) {
		stn_because(why, STN_IO, "the Redis server at %s: %s",
			    meeting->at, no_reply(meeting->redis));
		return NULL;
	}
	if (reply->type != REDIS_REPLY_ERROR)
		return reply;
	stn_because(why, STN_IO, "the Redis server at %s says: %s", meeting->at,
		    reply->str);
	freeReplyObject(reply);
	return NULL;
}

/* Frees the reply to a command; an error if @reply is NULL. */
static enum stn_err
meeting_done(redisReply *reply)
{
	if (!reply)
		return STN_IO;
	freeReplyObject(reply);
	return STN_OK;
}

/* Cuts "HOST:PORT", or "[HOST]:PORT" if HOST contains colons. */
static bool
cut_host(const char *at, char host[NI_MAXHOST], const char **port_p)
{
	const char *colon = strrchr(at, ':');
	size_t length = colon ? (size_t)(colon - at) : 0;
	uint64_t port;

	if (!length || length >= NI_MAXHOST ||
	    stn_parse_count(colon + 1, 1, UINT16_MAX, &port))
		return false;
	*port_p = colon + 1;
	if (*at == '[' && colon[-1] == ']') {
		at++;
		length -= 2;
	} else if (memchr(at, ':', length)) {
		return false;
	}
	memcpy(host, at, length);
	host[length] = '\0';
	return length;
}

bool
stn_meeting_at_good(const char *at)
{
	char host[NI_MAXHOST];
	const char *port;

	return *at == '/' || cut_host(at, host, &port);
}

/* A host may have several addresses, some of which may be unreachable. */
static redisContext *
connect_each(struct stn_meeting *meeting, const struct addrinfo *at)
{
	char port[NI_MAXSERV];
	redisContext *redis = NULL;

	for (; at && (!redis || redis->err); at = at->ai_next) {
		if (getnameinfo(at->ai_addr, at->ai_addrlen, meeting->host,
				sizeof(meeting->host), port, sizeof(port),
				NI_NUMERICHOST | NI_NUMERICSERV))
			continue;
		if (redis)
			redisFree(redis);
		meeting->port = atoi(port);
		redis = redisConnectWithTimeout(meeting->host, meeting->port,
						patience);
	}
	return redis;
}

static redisContext *
meeting_connect(struct stn_meeting *meeting, struct stn_why *why)
{
	const char *at = meeting->at;
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	char host[NI_MAXHOST];
	redisContext *redis;
	const char *port;
	int problem;

	if (*at == '/')
		return redisConnectUnixWithTimeout(at, patience);
	if (!cut_host(at, host, &port)) {
		stn_because(why, STN_INVALID,
			    "--at: \"%.80s\" is not HOST:PORT of a Redis "
			    "server, nor [IPv6 ADDRESS]:PORT",
			    at);
		return NULL;
	}
	problem = getaddrinfo(host, port, &hints, &found);
	if (problem) {
		stn_because(why, STN_IO, "--at: %.80s: %s", host,
			    gai_strerror(problem));
		return NULL;
	}
	redis = connect_each(meeting, found);
	freeaddrinfo(found);
	if (!redis)
		stn_because(why, STN_NO_MEMORY, "out of memory");
	return redis;
}

static enum stn_err
log_in(struct stn_meeting *meeting, struct stn_why *why)
{
	const char *password = getenv(STN_MEETING_PASSWORD);

	return password ? meeting_done(meeting_ask(meeting, why, "AUTH %s",
						   password))
			: STN_OK;
}

enum stn_err
stn_meeting_open(const char *at, const char *run, const char *cluster,
		 struct stn_meeting **meeting_p, struct stn_why *why)
{
	struct stn_meeting *meeting = calloc(1, sizeof(*meeting));
	enum stn_err err;

	if (!meeting)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	meeting->at = at;
	meeting->run = run;
	meeting->cluster = cluster;
	meeting->redis = meeting_connect(meeting, why);
	if (!meeting->redis) {
		free(meeting);
		return STN_INVALID;
	}
	if (meeting->redis->err)
		err = stn_because(why, STN_IO,
				  "can't reach the Redis server at %s: %s", at,
				  meeting->redis->errstr);
	else if (redisSetTimeout(meeting->redis, patience))
		err = stn_because(why, STN_IO, "the Redis server at %s: %s", at,
				  meeting->redis->errstr);
	else
		err = log_in(meeting, why);
	if (err) {
		stn_meeting_close(meeting);
		return err;
	}
	/* Nodes must not inherit this connection, which has logged in. */
	fcntl(meeting->redis->fd, F_SETFD, FD_CLOEXEC);
	*meeting_p = meeting;
	return STN_OK;
}

/* Shows all entries. A listed one may have expired just now. */
static enum stn_err
show_all(struct stn_meeting *meeting, stn_meeting_visit *see, void *arg,
	 struct stn_why *why)
{
	redisReply *all =
		meeting_ask(meeting, why, "SMEMBERS sateen:%s", meeting->run);
	enum stn_err err = all ? STN_OK : STN_IO;

	for (size_t i = 0; all && i < all->elements && !err; i++) {
		const char *name = all->element[i]->str;
		redisReply *entry =
			name ? meeting_ask(meeting, why, "GET sateen:%s:%s",
					   meeting->run, name)
			     : NULL;

		if (name && !entry)
			err = STN_IO;
		if (entry && entry->type == REDIS_REPLY_STRING)
			see(arg, name, entry->str, (size_t)entry->len);
		freeReplyObject(entry);
	}
	freeReplyObject(all);
	return err;
}

/* Adds our cluster to the list. */
static enum stn_err
list_ours(struct stn_meeting *meeting, struct stn_why *why)
{
	enum stn_err err =
		meeting_done(meeting_ask(meeting, why, "SADD sateen:%s %s",
					 meeting->run, meeting->cluster));

	return err ? err
		   : meeting_done(meeting_ask(meeting, why,
					      "EXPIRE sateen:%s %d",
					      meeting->run, MEETING_EXPIRES));
}

/* The cluster whose entry keeps ours out; no name if there is none. */
struct obstacle {
	const char *cluster;
	char name[STN_NAME_BYTES];
	bool runs;
	bool open; /* the run goes on, and another cluster may join it */
};

static void
take_obstacle(void *arg, const char *cluster, const char *text, size_t size)
{
	struct stn_meeting_entry entry;
	struct obstacle *obstacle = arg;

	if (!stn_name_good(cluster) ||
	    stn_meeting_entry_read(text, size, &entry))
		return;
	obstacle->open = obstacle->open || (entry.runs && entry.max_nodes);
	if (obstacle->runs ||
	    ((!entry.runs || entry.max_nodes) && strcmp(cluster, obstacle->cluster)))
		return;
	obstacle->runs = entry.runs;
	strcpy(obstacle->name, cluster);
}

/*
 * Is the gateway that has left an entry alive? If it is, it has prolonged the
 * entry's life since the last call.
 */
static enum stn_err
watch_obstacle(struct stn_meeting *meeting, const char *cluster, bool *alive_p,
	       struct stn_why *why)
{
	redisReply *reply = meeting_ask(meeting, why, "PTTL sateen:%s:%s",
					meeting->run, cluster);

	if (!reply)
		return STN_IO;
	*alive_p = !strcmp(meeting->before, cluster) &&
		   reply->integer > meeting->before_ms;
	strcpy(meeting->before, cluster);
	meeting->before_ms = reply->integer;
	freeReplyObject(reply);
	return STN_OK;
}

static enum stn_err
say_in_use(const struct stn_meeting *meeting, const struct obstacle *obstacle,
	   struct stn_why *why)
{
	if (obstacle->runs)
		return stn_because(why, STN_IN_USE,
				   "a run \"%s\" goes on already, in cluster "
				   "%s; wait for its end, or give this one "
				   "another --run",
				   meeting->run, obstacle->name);
	return stn_because(why, STN_IN_USE,
			   "a cluster \"%s\" has joined the run \"%s\" "
			   "already; give this one another --cluster",
			   meeting->cluster, meeting->run);
}

/* No entry is in the way. If several gateways try at once, one succeeds. */
static enum stn_err
meeting_claim(struct stn_meeting *meeting, struct stn_why *why)
{
	redisReply *reply = meeting_ask(
		meeting, why, "SET sateen:%s:%s %s NX EX %d", meeting->run,
		meeting->cluster, meeting->text, MEETING_EXPIRES);

	if (!reply)
		return STN_IO;
	meeting->entered = reply->type != REDIS_REPLY_NIL;
	freeReplyObject(reply);
	return meeting->entered ? list_ours(meeting, why) : STN_OK;
}

enum stn_err
stn_meeting_enter(struct stn_meeting *meeting,
		  const struct stn_meeting_entry *entry, bool *entered_p,
		  struct stn_why *why)
{
	struct obstacle obstacle = { .cluster = meeting->cluster };
	enum stn_err err;
	bool alive = false;

	meeting->entry = *entry;
	if (!stn_meeting_entry_write(meeting->text, entry))
		return stn_because(why, STN_INVALID,
				   "too many addresses; name one by --address");
	err = show_all(meeting, take_obstacle, &obstacle, why);
	if (!err && !*obstacle.name)
		err = meeting_claim(meeting, why);
	else if (!err)
		err = watch_obstacle(meeting, obstacle.name, &alive, why);
	*entered_p = meeting->entered;
	meeting->late = obstacle.open;
	if (err || meeting->entered)
		return err;
	err = say_in_use(meeting, &obstacle, why);
	return alive ? err : STN_OK;
}

bool
stn_meeting_is_late(const struct stn_meeting *meeting)
{
	return meeting->late;
}

/*
 * Checks that our entry was not replaced. It may be missing: a restarted server
 * has forgotten it.
 */
static enum stn_err
check_ours(struct stn_meeting *meeting, struct stn_why *why)
{
	redisReply *reply = meeting_ask(meeting, why, "GET sateen:%s:%s",
					meeting->run, meeting->cluster);
	bool ours = reply && stn_meeting_is_ours(meeting, reply);

	if (!reply)
		return STN_IO;
	freeReplyObject(reply);
	if (ours)
		return STN_OK;
	meeting->entered = false;
	return stn_because(why, STN_IN_USE,
			   "another gateway has taken the place of cluster %s "
			   "in the run \"%s\"; give this one another --run",
			   meeting->cluster, meeting->run);
}

enum stn_err
stn_meeting_poll(struct stn_meeting *meeting, stn_meeting_visit *see, void *arg,
		 struct stn_why *why)
{
	enum stn_err err = check_ours(meeting, why);

	if (!err)
		err = meeting_done(meeting_ask(
			meeting, why, "SET sateen:%s:%s %s EX %d", meeting->run,
			meeting->cluster, meeting->text, MEETING_EXPIRES));
	if (!err)
		err = list_ours(meeting, why);
	return err ? err : show_all(meeting, see, arg, why);
}
