#include "launch/gateway/meeting_claim.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "transport/clock.h"
#include "transport/ops.h"
#include "launch/gateway/meeting_private.h"

#define AGAIN_NS (STN_SECOND_NS / 4)
#define ANSWER_NS (2 * STN_SECOND_NS)
#define IDENTITY_BYTES 17 /* 16 digits and a zero byte */
#define KEY_BYTES (STN_NAME_BYTES + 40)
#define FIXED 6 /* words before the identities of the others */

/*
 * ARGV: a day in seconds, our identity, the others'. The answer to a claim that
 * is repeated, because the first answer was lost, is the same.
 */
static const char script[] =
	"if redis.call('SISMEMBER', KEYS[1], ARGV[2]) == 1 then return 0 end "
	"for i = 3, #ARGV do redis.call('SADD', KEYS[1], ARGV[i]) end "
	"redis.call('EXPIRE', KEYS[1], ARGV[1]) return 1";

struct stn_claim {
	const struct stn_meeting *meeting;
	redisContext *redis; /* NULL: not connected */
	uint64_t next_ns;    /* when to connect again */
	uint64_t asked_ns;
	bool logs_in; /* the reply to AUTH comes first */
	int word_count;
	char key[KEY_BYTES];
	char (*identities)[IDENTITY_BYTES];
	const char *words[]; /* of the command */
};

struct stn_claim *
stn_claim_create(const struct stn_meeting *meeting, uint64_t number,
		 const uint64_t *identities, uint32_t count)
{
	struct stn_claim *claim = calloc(
		1, sizeof(*claim) + (FIXED + count) * sizeof(claim->words[0]));

	if (claim)
		claim->identities =
			calloc(count + 1, sizeof(claim->identities[0]));
	if (!claim || !claim->identities) {
		free(claim);
		return NULL;
	}
	claim->meeting = meeting;
	claim->word_count = (int)(FIXED + count);
	snprintf(claim->key, sizeof(claim->key), "sateen:%s:lost:%016" PRIx64,
		 meeting->run, number);
	for (uint32_t i = 0; i <= count; i++)
		snprintf(claim->identities[i], IDENTITY_BYTES, "%016" PRIx64,
			 i ? identities[i - 1] : meeting->entry.identity);
	claim->words[0] = "EVAL";
	claim->words[1] = script;
	claim->words[2] = "1";
	claim->words[3] = claim->key;
	claim->words[4] = "86400";
	for (uint32_t i = 0; i <= count; i++)
		claim->words[FIXED - 1 + i] = claim->identities[i];
	return claim;
}

static void
claim_hang_up(struct stn_claim *claim)
{
	if (claim->redis)
		redisFree(claim->redis);
	claim->redis = NULL;
	claim->next_ns = stn_machine_now(NULL) + AGAIN_NS;
}

void
stn_claim_destroy(struct stn_claim *claim)
{
	if (!claim)
		return;
	claim_hang_up(claim);
	free(claim->identities);
	free(claim);
}

static void
call_server(struct stn_claim *claim, uint64_t now)
{
	const struct stn_meeting *meeting = claim->meeting;
	const char *password = getenv(STN_MEETING_PASSWORD);

	claim->redis = *meeting->host ? redisConnectNonBlock(meeting->host,
							     meeting->port)
				      : redisConnectUnixNonBlock(meeting->at);
	if (!claim->redis || claim->redis->err) {
		claim_hang_up(claim);
		return;
	}
	fcntl(claim->redis->fd, F_SETFD, FD_CLOEXEC);
	claim->asked_ns = now;
	claim->logs_in = password;
	if (password)
		redisAppendCommand(claim->redis, "AUTH %s", password);
	redisAppendCommandArgv(claim->redis, claim->word_count, claim->words,
			       NULL);
}

/* An error, as from a server that is loading its data, is no answer. */
static enum stn_claim_state
take_answer(struct stn_claim *claim, redisReply *reply)
{
	enum stn_claim_state state = STN_CLAIM_WAITS;

	if (claim->logs_in)
		claim->logs_in = false;
	else if (reply->type == REDIS_REPLY_INTEGER)
		state = reply->integer ? STN_CLAIM_WON : STN_CLAIM_LOST;
	else
		claim_hang_up(claim);
	freeReplyObject(reply);
	return state;
}

enum stn_claim_state
stn_claim_step(struct stn_claim *claim)
{
	uint64_t now = stn_machine_now(NULL);
	enum stn_claim_state state = STN_CLAIM_WAITS;
	void *reply = NULL;
	int written;

	if (!claim->redis && now >= claim->next_ns)
		call_server(claim, now);
	if (!claim->redis)
		return STN_CLAIM_WAITS;
	if (redisBufferWrite(claim->redis, &written) ||
	    redisBufferRead(claim->redis) ||
	    now - claim->asked_ns > ANSWER_NS) {
		claim_hang_up(claim);
		return STN_CLAIM_WAITS;
	}
	while (state == STN_CLAIM_WAITS && claim->redis &&
	       !redisGetReplyFromReader(claim->redis, &reply) && reply)
		state = take_answer(claim, reply);
	return state;
}
