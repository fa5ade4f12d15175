#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>

#include "transport/units.h"
#include "transport/wan/meeting_own.h"

static redisReply *ask(struct stn_meeting *meeting, struct stn_why *why,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The answer, to be freed; NULL if it is an error, or none. */
static redisReply *
ask(struct stn_meeting *meeting, struct stn_why *why, const char *format, ...)
{
	redisReply *reply;
	va_list list;

	va_start(list, format);
	reply = redisvCommand(meeting->redis, format, list);
	va_end(list);
	if (!reply) {
		stn_because(why, STN_IO, "the Redis server at %s: %s",
			    meeting->at, meeting->redis->errstr);
		return NULL;
	}
	if (reply->type != REDIS_REPLY_ERROR)
		return reply;
	stn_because(why, STN_IO, "the Redis server at %s says: %s", meeting->at,
		    reply->str);
	freeReplyObject(reply);
	return NULL;
}

/* Cuts "HOST:PORT", or "[HOST]:PORT" where colons are in HOST. */
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

/* A host may have several addresses, of which some lead nowhere. */
static redisContext *
dial_each(struct stn_meeting *meeting, const struct addrinfo *at)
{
	const struct timeval patience = { 5, 0 };
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
dial(struct stn_meeting *meeting, struct stn_why *why)
{
	const char *at = meeting->at;
	const struct timeval patience = { 5, 0 };
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
	redis = dial_each(meeting, found);
	freeaddrinfo(found);
	if (!redis)
		stn_because(why, STN_NO_MEMORY, "out of memory");
	return redis;
}

static enum stn_err
log_in(struct stn_meeting *meeting, struct stn_why *why)
{
	const char *password = getenv(STN_MEETING_PASSWORD);
	redisReply *reply;

	if (!password)
		return STN_OK;
	reply = ask(meeting, why, "AUTH %s", password);
	if (!reply)
		return STN_REFUSED;
	freeReplyObject(reply);
	return STN_OK;
}

enum stn_err
stn_meeting_open(const char *at, const char *run, const char *cluster,
		 struct stn_meeting **meeting_p, struct stn_why *why)
{
	const struct timeval patience = { 5, 0 };
	struct stn_meeting *meeting = calloc(1, sizeof(*meeting));
	enum stn_err err;

	if (!meeting)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	meeting->at = at;
	meeting->run = run;
	meeting->cluster = cluster;
	meeting->redis = dial(meeting, why);
	if (!meeting->redis) {
		free(meeting);
		return STN_INVALID;
	}
	if (meeting->redis->err)
		err = stn_because(why, STN_IO,
				  "can't reach the Redis server at %s: %s", at,
				  meeting->redis->errstr);
	else
		err = log_in(meeting, why);
	if (err) {
		stn_meeting_close(meeting);
		return err;
	}
	redisSetTimeout(meeting->redis, patience);
	/* It has logged in: no node is to inherit that. */
	fcntl(meeting->redis->fd, F_SETFD, FD_CLOEXEC);
	*meeting_p = meeting;
	return STN_OK;
}

/* It has done what was asked, or is NULL. */
static enum stn_err
done(redisReply *reply)
{
	if (!reply)
		return STN_IO;
	freeReplyObject(reply);
	return STN_OK;
}

/* Shows all that is there, of which some may have expired just now. */
static enum stn_err
show_all(struct stn_meeting *meeting, stn_meeting_see *see, void *arg,
	 struct stn_why *why)
{
	redisReply *all = ask(meeting, why, "SMEMBERS sateen:%s", meeting->run);
	enum stn_err err = all ? STN_OK : STN_IO;

	for (size_t i = 0; all && i < all->elements && !err; i++) {
		const char *name = all->element[i]->str;
		redisReply *entry = name ? ask(meeting, why, "GET sateen:%s:%s",
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

/* Makes ours known to those who look. */
static enum stn_err
list_ours(struct stn_meeting *meeting, struct stn_why *why)
{
	enum stn_err err = done(ask(meeting, why, "SADD sateen:%s %s",
				    meeting->run, meeting->cluster));

	return err ? err
		   : done(ask(meeting, why, "EXPIRE sateen:%s %d", meeting->run,
			      MEETING_EXPIRES));
}

/* Who is in the way, if anybody. */
struct way {
	const char *cluster;
	char name[STN_NAME_BYTES];
	bool runs;
};

static void
see_way(void *arg, const char *cluster, const char *text, size_t size)
{
	struct stn_entry entry;
	struct way *way = arg;

	if (!stn_name_good(cluster) || stn_entry_read(text, size, &entry))
		return;
	if (way->runs || (!entry.runs && strcmp(cluster, way->cluster)))
		return;
	way->runs = entry.runs;
	strcpy(way->name, cluster);
}

/*
 * Is the gateway of whom something is there alive? Then it has given that a
 * longer life since we looked last.
 */
static enum stn_err
watch_it(struct stn_meeting *meeting, const char *cluster, bool *alive_p,
	 struct stn_why *why)
{
	redisReply *reply =
		ask(meeting, why, "PTTL sateen:%s:%s", meeting->run, cluster);

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
say_in_use(const struct stn_meeting *meeting, const struct way *way,
	   struct stn_why *why)
{
	if (way->runs)
		return stn_because(why, STN_IN_USE,
				   "a run \"%s\" goes on already, in cluster "
				   "%s; wait for its end, or give this one "
				   "another --run",
				   meeting->run, way->name);
	return stn_because(why, STN_IN_USE,
			   "a cluster \"%s\" has joined the run \"%s\" "
			   "already; give this one another --cluster",
			   meeting->cluster, meeting->run);
}

/* Nobody is in the way: of several gateways that come at once, one gets in. */
static enum stn_err
claim(struct stn_meeting *meeting, struct stn_why *why)
{
	redisReply *reply =
		ask(meeting, why, "SET sateen:%s:%s %s NX EX %d", meeting->run,
		    meeting->cluster, meeting->text, MEETING_EXPIRES);

	if (!reply)
		return STN_IO;
	meeting->entered = reply->type != REDIS_REPLY_NIL;
	freeReplyObject(reply);
	return meeting->entered ? list_ours(meeting, why) : STN_OK;
}

enum stn_err
stn_meeting_enter(struct stn_meeting *meeting, const struct stn_entry *entry,
		  bool *entered_p, struct stn_why *why)
{
	struct way way = { .cluster = meeting->cluster };
	enum stn_err err;
	bool alive = false;

	meeting->entry = *entry;
	if (!stn_entry_write(meeting->text, entry))
		return stn_because(why, STN_INVALID,
				   "too many addresses; name one by --address");
	err = show_all(meeting, see_way, &way, why);
	if (!err && !*way.name)
		err = claim(meeting, why);
	else if (!err)
		err = watch_it(meeting, way.name, &alive, why);
	*entered_p = meeting->entered;
	if (err || meeting->entered)
		return err;
	err = say_in_use(meeting, &way, why);
	return alive ? err : STN_OK;
}

/* What is there in our place; a server that was restarted has forgotten it. */
static enum stn_err
check_ours(struct stn_meeting *meeting, struct stn_why *why)
{
	redisReply *reply = ask(meeting, why, "GET sateen:%s:%s", meeting->run,
				meeting->cluster);
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
stn_meeting_look(struct stn_meeting *meeting, stn_meeting_see *see, void *arg,
		 struct stn_why *why)
{
	enum stn_err err = check_ours(meeting, why);

	if (!err)
		err = done(ask(meeting, why, "SET sateen:%s:%s %s EX %d",
			       meeting->run, meeting->cluster, meeting->text,
			       MEETING_EXPIRES));
	if (!err)
		err = list_ours(meeting, why);
	return err ? err : show_all(meeting, see, arg, why);
}
