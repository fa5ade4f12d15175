/*
 * meeting_stay.c: what a gateway has at the meeting point once the run has
 * begun. Nothing blocks: that it is still there is said in pieces, as the
 * server takes and answers them, and later if it can't be reached.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "transport/ops.h"
#include "transport/wan/meeting_own.h"

#define AGAIN_NS STN_SECOND_NS /* says so as often */
#define CONNECT_AGAIN_NS (2 * STN_SECOND_NS)
#define ANSWER_NS (10 * STN_SECOND_NS)
#define LEAVE_NS STN_SECOND_NS

bool
stn_meeting_is_ours(const struct stn_meeting *meeting, const redisReply *reply)
{
	struct stn_entry entry;

	if (reply->type != REDIS_REPLY_STRING)
		return reply->type == REDIS_REPLY_NIL;
	return !stn_entry_read(reply->str, (size_t)reply->len, &entry) &&
	       entry.identity == meeting->entry.identity;
}

static void
disconnect(struct stn_meeting *meeting)
{
	if (meeting->redis)
		redisFree(meeting->redis);
	meeting->redis = NULL;
	meeting->due = 0;
	meeting->asked = meeting->goes = false;
	meeting->next_ns = stn_machine_now(NULL) + CONNECT_AGAIN_NS;
}

/* From now on it is asked without waiting for answers. */
static void
stay(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;

	if (meeting->stays)
		return;
	meeting->stays = true;
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
		meeting->due++;
}

static void
say_we_stay(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;
	const char *run = meeting->run, *cluster = meeting->cluster;

	redisAppendCommand(redis, "SET sateen:%s:%s %s EX %d", run, cluster,
			   meeting->text, MEETING_EXPIRES);
	redisAppendCommand(redis, "SADD sateen:%s %s", run, cluster);
	redisAppendCommand(redis, "EXPIRE sateen:%s %d", run, MEETING_EXPIRES);
	meeting->due += 3;
}

static void
say_we_go(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;
	const char *run = meeting->run, *cluster = meeting->cluster;

	redisAppendCommand(redis, "DEL sateen:%s:%s", run, cluster);
	redisAppendCommand(redis, "SREM sateen:%s %s", run, cluster);
	meeting->due += 2;
	meeting->goes = true;
}

/* An answer has come. */
static void
take(struct stn_meeting *meeting, const redisReply *reply)
{
	meeting->due--;
	if (meeting->goes && !meeting->due)
		meeting->entered = false;
	if (!meeting->asked)
		return;
	meeting->asked = false;
	if (reply->type == REDIS_REPLY_ERROR)
		return; /* it may be loading what it knew; asked again */
	if (!stn_meeting_is_ours(meeting, reply))
		meeting->entered = false;
	else if (meeting->leaves)
		say_we_go(meeting);
	else
		say_we_stay(meeting);
}

static void
ask_whose(struct stn_meeting *meeting, uint64_t now)
{
	redisAppendCommand(meeting->redis, "GET sateen:%s:%s", meeting->run,
			   meeting->cluster);
	meeting->asked = true;
	meeting->due = 1;
	meeting->asked_ns = now;
	meeting->next_ns = now + AGAIN_NS;
}

/* False if the connection is lost. */
static bool
exchange(struct stn_meeting *meeting)
{
	redisContext *redis = meeting->redis;
	void *reply;
	int written;

	if (redisBufferWrite(redis, &written) || redisBufferRead(redis))
		return false;
	while (meeting->due) {
		if (redisGetReplyFromReader(redis, &reply))
			return false;
		if (!reply)
			break;
		take(meeting, reply);
		freeReplyObject(reply);
	}
	return !redisBufferWrite(redis, &written);
}

void
stn_meeting_tend(struct stn_meeting *meeting)
{
	uint64_t now = stn_machine_now(NULL);

	if (!meeting->entered)
		return;
	stay(meeting);
	if (!meeting->redis && now >= meeting->next_ns)
		connect_again(meeting, now);
	if (!meeting->redis)
		return;
	if (!meeting->due && (meeting->leaves || now >= meeting->next_ns))
		ask_whose(meeting, now);
	if (!exchange(meeting) ||
	    (meeting->due && now - meeting->asked_ns > ANSWER_NS))
		disconnect(meeting);
}

void
stn_meeting_begin(struct stn_meeting *meeting)
{
	meeting->entry.runs = true;
	meeting->next_ns = 0;
	if (!stn_entry_write(meeting->text, &meeting->entry))
		abort(); /* a shorter word */
	stn_meeting_tend(meeting);
}

void
stn_meeting_leave(struct stn_meeting *meeting)
{
	if (meeting->leaves)
		return;
	stay(meeting);
	meeting->leaves = true;
	meeting->next_ns = 0;
	meeting->end_ns = stn_machine_now(NULL) + LEAVE_NS;
	stn_meeting_tend(meeting);
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
		stn_meeting_tend(meeting);
	}
	if (meeting->redis)
		redisFree(meeting->redis);
	free(meeting);
}
