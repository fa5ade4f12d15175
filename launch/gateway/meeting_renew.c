/*
 * meeting_renew.c: renews the entry during the run. Nothing blocks: commands
 * are written and replies read as far as the server takes and sends them. If
 * the server can't be reached, it is tried again later.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "transport/clock.h"
#include "transport/ops.h"
#include "launch/gateway/meeting_private.h"

#define AGAIN_NS STN_SECOND_NS /* between renewals */
#define CONNECT_AGAIN_NS (2 * STN_SECOND_NS)
#define ANSWER_NS (10 * STN_SECOND_NS)
#define LEAVE_NS STN_SECOND_NS

bool
stn_meeting_is_ours(const struct stn_meeting *meeting, const redisReply *reply)
{
	struct stn_meeting_entry entry;

	if (reply->type != REDIS_REPLY_STRING)
		return reply->type == REDIS_REPLY_NIL;
	return !stn_meeting_entry_read(reply->str, (size_t)reply->len,
				       &entry) &&
	       entry.identity == meeting->entry.identity;
}

static void
disconnect(struct stn_meeting *meeting)
{
	if (meeting->redis)
		redisFree(meeting->redis);
	meeting->redis = NULL;
	meeting->replies_due = 0;
	meeting->owner_asked = meeting->removal_sent = false;
	meeting->next_ns = stn_machine_now(NULL) + CONNECT_AGAIN_NS;
}

/* From now on no call waits for replies. */
static void
stop_blocking(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;

	if (meeting->nonblocking)
		return;
	meeting->nonblocking = true;
	if (!redis || redis->err) {
		disconnect(meeting);
		return;
	}
	redis->flags &= ~REDIS_BLOCK;
	fcntl(redis->fd, F_SETFL, fcntl(redis->fd, F_GETFL) | O_NONBLOCK);
}

static void
connect_again(struct stn_meeting *meeting, uint64_t now)
{
	const char *password = getenv(STN_MEETING_PASSWORD);

	meeting->redis = *meeting->host ? redisConnectNonBlock(meeting->host,
							       meeting->port)
					: redisConnectUnixNonBlock(meeting->at);
	if (!meeting->redis || meeting->redis->err) {
		disconnect(meeting);
		return;
	}
	fcntl(meeting->redis->fd, F_SETFD, FD_CLOEXEC);
	meeting->asked_ns = now;
	if (password &&
	    !redisAppendCommand(meeting->redis, "AUTH %s", password))
		meeting->replies_due++;
}

static void
send_renewal(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;
	const char *run = meeting->run, *cluster = meeting->cluster;

	redisAppendCommand(redis, "SET sateen:%s:%s %s EX %d", run, cluster,
			   meeting->text, MEETING_EXPIRES);
	redisAppendCommand(redis, "SADD sateen:%s %s", run, cluster);
	redisAppendCommand(redis, "EXPIRE sateen:%s %d", run, MEETING_EXPIRES);
	meeting->replies_due += 3;
}

static void
send_removal(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;
	const char *run = meeting->run, *cluster = meeting->cluster;

	redisAppendCommand(redis, "DEL sateen:%s:%s", run, cluster);
	redisAppendCommand(redis, "SREM sateen:%s %s", run, cluster);
	meeting->replies_due += 2;
	meeting->removal_sent = true;
}

/*
 * Takes a reply. If it tells whose entry is there, the renewal or removal
 * follows.
 */
static void
take_reply(struct stn_meeting *meeting, const redisReply *reply)
{
	meeting->replies_due--;
	if (meeting->removal_sent && !meeting->replies_due)
		meeting->entered = false;
	if (!meeting->owner_asked)
		return;
	meeting->owner_asked = false;
	if (reply->type == REDIS_REPLY_ERROR)
		return; /* loading its data; asked again later */
	if (!stn_meeting_is_ours(meeting, reply))
		meeting->entered = false;
	else if (meeting->leaving)
		send_removal(meeting);
	else
		send_renewal(meeting);
}

static void
ask_owner(struct stn_meeting *meeting, uint64_t now)
{
	redisAppendCommand(meeting->redis, "GET sateen:%s:%s", meeting->run,
			   meeting->cluster);
	meeting->owner_asked = true;
	meeting->replies_due = 1;
	meeting->asked_ns = now;
	meeting->next_ns = now + AGAIN_NS;
}

/* Returns false if the connection is lost. */
static bool
exchange(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;
	void *reply;
	int written;

	if (redisBufferWrite(redis, &written) || redisBufferRead(redis))
		return false;
	while (meeting->replies_due) {
		if (redisGetReplyFromReader(redis, &reply))
			return false;
		if (!reply)
			break;
		take_reply(meeting, reply);
		freeReplyObject(reply);
	}
	return !redisBufferWrite(redis, &written);
}

void
stn_meeting_renew(struct stn_meeting *meeting)
{
	uint64_t now = stn_machine_now(NULL);

	if (!meeting->entered)
		return;
	stop_blocking(meeting);
	if (!meeting->redis && now >= meeting->next_ns)
		connect_again(meeting, now);
	if (!meeting->redis)
		return;
	if (!meeting->replies_due &&
	    (meeting->leaving || now >= meeting->next_ns))
		ask_owner(meeting, now);
	if (!exchange(meeting) ||
	    (meeting->replies_due && now - meeting->asked_ns > ANSWER_NS))
		disconnect(meeting);
}

void
stn_meeting_set_running(struct stn_meeting *meeting, uint32_t max_nodes,
			uint32_t max_clusters, uint32_t number)
{
	char text[STN_ENTRY_BYTES];

	meeting->entry.runs = true;
	meeting->entry.max_nodes = max_nodes;
	meeting->entry.max_clusters = max_clusters;
	meeting->entry.number = number;
	meeting->next_ns = 0;
	if (stn_meeting_entry_write(text, &meeting->entry))
		memcpy(meeting->text, text, sizeof(text));
	stn_meeting_renew(meeting);
}

void
stn_meeting_leave(struct stn_meeting *meeting)
{
	if (meeting->leaving)
		return;
	stop_blocking(meeting);
	meeting->leaving = true;
	meeting->next_ns = 0;
	meeting->end_ns = stn_machine_now(NULL) + LEAVE_NS;
	stn_meeting_renew(meeting);
}

void
stn_meeting_close(struct stn_meeting *meeting)
{
	if (!meeting)
		return;
	stn_meeting_leave(meeting);
	while (meeting->entered &&
	       (meeting->redis || meeting->next_ns < meeting->end_ns) &&
	       stn_machine_now(NULL) < meeting->end_ns) {
		struct pollfd wait = { .fd = -1, .events = POLLIN };

		if (meeting->redis)
			wait.fd = meeting->redis->fd;
		poll(&wait, 1, 20);
		stn_meeting_renew(meeting);
	}
	if (meeting->redis)
		redisFree(meeting->redis);
	free(meeting);
}
