/*
 * conformance_mail.c: messages that check themselves. Each has its number among
 * the messages of its pair of nodes, and a payload computed from the number.
 * The receiver checks both, and takes payloads into pieces with guard bytes
 * between.
 */
#include <assert.h>
#include <stdlib.h>

#include "tests/transport/conformance_mail.h"

#define KIND 200
#define GAP 16 /* guard bytes after each piece */
#define GUARD 0xa5

struct letter {
	uint16_t from, unwanted;
	uint32_t number;
	uint64_t bytes;
};

_Static_assert(sizeof(struct letter) == MAIL_HEADER_BYTES, "as promised");

/* A payload that is being taken. */
struct taking {
	struct taking *next;
	struct letter letter;
	uint32_t by;
	enum stn_err err;
	unsigned done;
	size_t count;
	struct iovec pieces[MAIL_PIECES];
	unsigned char memory[];
};

struct mail mail;
static struct taking *takings;
static uint32_t posted[NET_NODES][NET_NODES], expected[NET_NODES][NET_NODES];

static unsigned char
content(uint32_t number, size_t at)
{
	return (unsigned char)(number * 167 + at + (at >> 8) * 31 +
			       (at >> 16) * 17);
}

/*
 * Cuts memory into @count pieces, with @gap bytes after each; every third piece
 * is empty.
 */
static void
cut_pieces(unsigned char *memory, size_t bytes, size_t gap,
	   struct iovec *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = i % 3 == 1 ? 0 : bytes / (count - i);

		if (i + 1 == count)
			length = bytes;
		pieces[i] = (struct iovec){ memory, length };
		memory += length + gap;
		bytes -= length;
	}
}

static void
sent_done(void *arg, enum stn_err err)
{
	struct mail_sent *sent = arg;

	sent->done++;
	sent->err = err;
	sent->taken_before = mail.taken;
	mail.done++;
	if (sent->memory)
		memset(sent->memory, 0xee, sent->bytes);
	free(sent->memory);
	sent->memory = NULL;
}

static bool
offered(struct stn_transport *transport, uint32_t peer, size_t bytes)
{
	while (transport->inner)
		transport = transport->ops->route
				    ? transport->ops->route(transport, peer)
				    : transport->inner;
	return MAIL_HEADER_BYTES + bytes >
	       stn_transport_limits(transport)->eager_bytes;
}

static void
post(struct net *net, uint32_t from, uint32_t to, size_t bytes, size_t count,
     bool unwanted)
{
	struct stn_transport *transport = net->nodes[from].transport;
	struct mail_sent *sent = &mail.sends[mail.sent++];
	struct letter *letter = malloc(sizeof(*letter) + bytes + 1);
	struct iovec pieces[MAIL_PIECES];

	assert(mail.sent <= MAIL_SENDS && count <= MAIL_PIECES);
	*letter = (struct letter){ (uint16_t)from, unwanted, posted[from][to]++,
				   bytes };
	sent->from = from;
	sent->to = to;
	sent->bytes = sizeof(*letter) + bytes;
	sent->memory = (unsigned char *)letter;
	sent->unwanted = unwanted && offered(transport, to, bytes);
	for (size_t i = 0; i < bytes; i++)
		sent->memory[sizeof(*letter) + i] = content(letter->number, i);
	cut_pieces(sent->memory + sizeof(*letter), bytes, 0, pieces, count);
	stn_transport_send(transport, to, KIND, letter, sizeof(*letter), pieces,
			   count, sent_done, sent);
}

void
mail_post(struct net *net, uint32_t from, uint32_t to, size_t bytes,
	  size_t count)
{
	post(net, from, to, bytes, count, false);
}

void
mail_post_unwanted(struct net *net, uint32_t from, uint32_t to, size_t bytes,
		   size_t count)
{
	post(net, from, to, bytes, count, true);
}

static bool
intact(const struct taking *taking)
{
	size_t at = 0;

	for (size_t i = 0; i < taking->count; i++) {
		const unsigned char *bytes = taking->pieces[i].iov_base;
		size_t length = taking->pieces[i].iov_len;

		for (size_t j = 0; j < length; j++)
			if (bytes[j] != content(taking->letter.number, at++))
				return false;
		for (size_t j = 0; j < GAP; j++)
			if (bytes[length + j] != GUARD)
				return false;
	}
	return at == taking->letter.bytes;
}

static void
taken(void *arg, enum stn_err err)
{
	struct taking *taking = arg;

	taking->err = err;
	mail.taken++;
	mail.wrong += taking->done++ || err || !intact(taking);
}

/*
 * Takes the payload of a letter. The take of a small payload must end at once.
 */
static void
take(struct net_node *node, const struct stn_message *message,
     const struct letter *letter)
{
	uint32_t number = letter->number;
	size_t count = number % 11 == 10 ? MAIL_PIECES : number % 6 + 1;
	size_t room = letter->bytes + count * GAP;
	struct taking *taking = malloc(sizeof(*taking) + room);

	taking->next = takings;
	takings = taking;
	taking->letter = *letter;
	taking->by = node->rank;
	taking->done = 0;
	taking->count = count;
	memset(taking->memory, GUARD, room);
	cut_pieces(taking->memory, letter->bytes, GAP, taking->pieces, count);
	stn_transport_take(node->transport, message, taking->pieces, count,
			   taken, taking);
	if (!offered(node->transport, message->from, letter->bytes))
		mail.wrong += taking->done != 1;
}

/* Reads a letter; is it the next one from its sender? */
static bool
read_letter(struct net_node *node, const struct stn_message *message,
	    struct letter *letter)
{
	if (message->kind != KIND || message->header_bytes != sizeof(*letter) ||
	    message->from >= NET_NODES)
		return false;
	memcpy(letter, message->header, sizeof(*letter));
	return letter->from == message->from &&
	       letter->bytes == message->payload_bytes &&
	       letter->number == expected[letter->from][node->rank]++;
}

void
mail_take(struct net_node *node, const struct stn_message *message)
{
	struct letter letter;

	mail.handled++;
	if (!read_letter(node, message, &letter)) {
		mail.wrong++;
	} else if (letter.unwanted) {
		mail.refused++;
		stn_transport_refuse(node->transport, message);
	} else {
		take(node, message, &letter);
	}
}

void
mail_refuse(struct net_node *node, const struct stn_message *message)
{
	struct letter letter;

	mail.handled++;
	mail.wrong += !read_letter(node, message, &letter);
	stn_transport_refuse(node->transport, message);
}

bool
mail_done_once(void)
{
	for (unsigned i = 0; i < mail.sent; i++)
		if (mail.sends[i].done != 1)
			return false;
	return true;
}

unsigned
mail_under_way(uint32_t from, uint32_t to)
{
	unsigned count = 0;

	for (unsigned i = 0; i < mail.sent; i++) {
		const struct mail_sent *sent = &mail.sends[i];

		count += sent->from == from && sent->to == to && !sent->done;
	}
	return count;
}

/* Has each send ended with the error that was meant for it? */
static bool
ended_as_meant(void)
{
	for (unsigned i = 0; i < mail.sent; i++) {
		const struct mail_sent *sent = &mail.sends[i];

		if (sent->err != (sent->unwanted ? STN_REFUSED : STN_OK))
			return false;
	}
	return true;
}

bool
mail_ended(enum stn_err err)
{
	for (unsigned i = 0; i < mail.sent; i++)
		if (mail.sends[i].err != err)
			return false;
	return true;
}

bool
mail_taken_once(void)
{
	for (const struct taking *at = takings; at; at = at->next)
		if (at->done != 1)
			return false;
	return true;
}

unsigned
mail_taken_whole(uint32_t from, uint32_t by, size_t least)
{
	unsigned count = 0;

	for (const struct taking *at = takings; at; at = at->next)
		count += at->letter.from == from && at->by == by &&
			 at->letter.bytes >= least && at->done && !at->err;
	return count;
}

void
mail_forget(void)
{
	while (takings) {
		struct taking *next = takings->next;

		free(takings);
		takings = next;
	}
	memset(mail.sends, 0, mail.sent * sizeof(mail.sends[0]));
	memset(posted, 0, sizeof(posted));
	memset(expected, 0, sizeof(expected));
	mail.sent = mail.done = mail.handled = mail.taken = 0;
	mail.wrong = mail.refused = 0;
}

/*
 * Waits for all posted messages; true if each was taken or refused, once and
 * whole.
 */
bool
mail_settle(struct net *net)
{
	bool right = net_until(net, &mail.done, mail.sent) &&
		     net_until(net, &mail.handled, mail.sent) &&
		     net_until(net, &mail.taken, mail.sent - mail.refused);

	net_spin(net, 100);
	right = right && mail.handled == mail.sent && !mail.wrong &&
		mail_done_once() && ended_as_meant() && mail_taken_once();
	if (!right)
		printf("# %u sent, %u done, %u handled, %u taken, %u refused, "
		       "%u wrong\n",
		       mail.sent, mail.done, mail.handled, mail.taken,
		       mail.refused, mail.wrong);
	if (mail.done < mail.sent || mail.taken + mail.refused < mail.handled) {
		/* Messages still under way would confuse all later tests. */
		printf("Bail out! Some messages never ended.\n");
		exit(EXIT_FAILURE);
	}
	mail_forget();
	return right;
}
