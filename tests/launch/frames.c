/*
 * frames.c: parsers of frames, cards and tables of tasks from other processes.
 * Of each kind, a well-formed example is accepted. Then each mistake in it
 * makes the parser reject it.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/card.h"
#include "steal/task.h"
#include "tests/tap.h"
#include "launch/wireup/wireup_frame.h"

/* May @from send a frame of this type and size? */
static bool
may_send(enum stn_wireup_sender from, uint32_t type, uint32_t size)
{
	struct stn_wireup_head head = { type, 0, size };
	struct stn_bytes bytes = { NULL };
	struct stn_wireup_frame frame;
	enum stn_err err;

	if (!stn_bytes_add(&bytes, &head, sizeof(head)))
		abort();
	err = stn_wireup_frame_parse(&bytes, from, &frame);
	stn_bytes_fini(&bytes);
	return err == (size ? STN_MISSING : STN_OK);
}

static bool
head(uint32_t type, uint32_t size)
{
	return may_send(STN_WIREUP_FROM_NODE, type, size);
}

static void
test_heads(void)
{
	bool known = false;

	tap_ok(head(STN_WIREUP_CARD, 0) &&
		       head(STN_WIREUP_CARD, STN_CARD_BYTES),
	       "a node sends cards of up to the largest size");
	tap_ok(!head(STN_WIREUP_CARD, STN_CARD_BYTES + 1) &&
		       !head(STN_WIREUP_CARD, UINT32_MAX),
	       "but no larger cards");
	tap_ok(head(STN_WIREUP_ARRIVED, 0) && !head(STN_WIREUP_ARRIVED, 1),
	       "ARRIVED has no body");
	tap_ok(head(STN_WIREUP_ABORT, 0) &&
		       head(STN_WIREUP_ABORT, sizeof(struct stn_why) - 1) &&
		       !head(STN_WIREUP_ABORT, sizeof(struct stn_why)),
	       "ABORT has a line at most");
	tap_ok(!head(STN_WIREUP_MISS, 3) && head(STN_WIREUP_MISS, 4) &&
		       head(STN_WIREUP_MISS, 3 + sizeof(struct stn_why)) &&
		       !head(STN_WIREUP_MISS, 4 + sizeof(struct stn_why)),
	       "MISS has the missed node and a line at most");
	for (uint32_t type = STN_WIREUP_APPLIED; type <= STN_WIREUP_RETURNED;
	     type++)
		known = known || head(type, 3) || head(type, 5);
	tap_ok(head(STN_WIREUP_APPLIED, 4) && head(STN_WIREUP_RETURNED, 4) &&
		       !known,
	       "APPLIED and RETURNED have a number");
	tap_ok(!head(STN_WIREUP_SUSPECT, 3) && head(STN_WIREUP_SUSPECT, 4) &&
		       head(STN_WIREUP_SUSPECT, 3 + sizeof(struct stn_why)) &&
		       !head(STN_WIREUP_SUSPECT, 4 + sizeof(struct stn_why)),
	       "SUSPECT is as MISS");
	tap_ok(head(STN_WIREUP_LEAVING, 0) && !head(STN_WIREUP_LEAVING, 1) &&
		       head(STN_WIREUP_LEFT, 0) && !head(STN_WIREUP_LEFT, 1),
	       "LEAVING and LEFT have no body");
	for (uint32_t type = STN_WIREUP_CARDS; type <= STN_WIREUP_KILL; type++)
		if (type < STN_WIREUP_SUSPECT || type > STN_WIREUP_RETURNED)
			known = known || head(type, 0) || head(type, 4) ||
				head(type, 12);
	tap_ok(!known && !head(STN_WIREUP_LEFT + 1, 0) && !head(0, 0) &&
		       !head(UINT32_MAX, 0),
	       "a node sends no other frames");
}

static void
test_senders(void)
{
	bool both = false;

	tap_ok(may_send(STN_WIREUP_FROM_AGENT, STN_WIREUP_CARD, 5) &&
		       may_send(STN_WIREUP_FROM_AGENT, STN_WIREUP_ENDED, 4) &&
		       !may_send(STN_WIREUP_FROM_AGENT, STN_WIREUP_ENDED, 3) &&
		       !may_send(STN_WIREUP_FROM_AGENT, STN_WIREUP_TAKEN, 5),
	       "an agent sends frames of its nodes and frames of its own");
	tap_ok(may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_CARDS,
			UINT32_MAX) &&
		       may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_START,
				STN_WIREUP_TEXTS) &&
		       !may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_START,
				 STN_WIREUP_TEXTS + 1) &&
		       !may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_START, 3),
	       "a launcher starts nodes and sends them cards");
	tap_ok(!may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_VIEW, 11) &&
		       may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_VIEW,
				12) &&
		       may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_KILL, 0),
	       "and views and orders to kill");
	tap_ok(may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_PROBE, 20) &&
		       !may_send(STN_WIREUP_FROM_LAUNCHER, STN_WIREUP_PROBE,
				 20 * STN_WIREUP_PROBED + 1) &&
		       may_send(STN_WIREUP_FROM_AGENT, STN_WIREUP_NEAR, 8) &&
		       !may_send(STN_WIREUP_FROM_AGENT, STN_WIREUP_NEAR,
				 8 * STN_WIREUP_PROBED + 1) &&
		       !head(STN_WIREUP_NEAR, 8),
	       "and asks agents how far some hosts are");
	for (uint32_t type = 0; type <= STN_WIREUP_NEAR; type++)
		both = both || (may_send(STN_WIREUP_FROM_LAUNCHER, type, 4) &&
				may_send(STN_WIREUP_FROM_AGENT, type, 4));
	tap_ok(!both, "no frame goes in both directions");
}

static void
test_adding(void)
{
	static unsigned char large[STN_WIREUP_LINES + 1];
	struct stn_bytes bytes = { NULL };
	struct stn_wireup_frame frame;
	bool cut = true;

	tap_ok(stn_wireup_frame_add(&bytes, STN_WIREUP_OUTPUT, 7, "line\n",
				    5) &&
		       stn_bytes_count(&bytes) == 17 &&
		       !stn_wireup_frame_parse(&bytes, STN_WIREUP_FROM_AGENT,
					       &frame) &&
		       frame.head.type == STN_WIREUP_OUTPUT &&
		       frame.head.rank == 7 && frame.head.size == 5 &&
		       !memcmp(frame.body, "line\n", 5),
	       "a frame is parsed as it was added");
	while (--bytes.end)
		cut = cut &&
		      stn_wireup_frame_parse(&bytes, STN_WIREUP_FROM_AGENT,
					     &frame) == STN_MISSING;
	tap_ok(cut, "cut off anywhere, it is not complete");
	tap_ok(!stn_wireup_frame_add(&bytes, STN_WIREUP_OUTPUT, 7, large,
				     sizeof(large)) &&
		       !stn_bytes_count(&bytes),
	       "a frame that is too large is not added");
	stn_bytes_fini(&bytes);
}

/* Finds @nodes cards in a CARDS frame with this body. */
static enum stn_err
find_cards(const unsigned char *body, size_t size, struct stn_card *cards,
	   uint32_t nodes)
{
	const struct stn_wireup_frame frame = {
		{ STN_WIREUP_CARDS, 0, (uint32_t)size }, body
	};

	return stn_wireup_frame_cards(&frame, cards, nodes);
}

static void
test_cards(void)
{
	static const unsigned char body[] = "\3\0\0\0abc\0\0\0\0\2\0\0\0xy";
	const size_t size = sizeof(body) - 1;
	unsigned char wrong[sizeof(body)];
	struct stn_card cards[4];
	bool cut = true;

	tap_ok(!find_cards(body, size, cards, 3) && cards[0].size == 3 &&
		       cards[0].bytes == body + 4 && !cards[1].size &&
		       cards[2].size == 2 && cards[2].bytes == body + 15,
	       "all nodes' cards, an empty one too, are found");
	for (size_t i = 0; i < size; i++)
		cut = cut && find_cards(body, i, cards, 3);
	tap_ok(cut, "cards that are cut off anywhere are rejected");
	tap_ok(find_cards(body, size, cards, 2) &&
		       find_cards(body, size, cards, 4),
	       "and so are cards of more or fewer nodes");
	memcpy(wrong, body, sizeof(body));
	memset(wrong, 0xff, 4);
	tap_ok(find_cards(wrong, size, cards, 3),
	       "and a card that is longer than the frame");
}

/* PEERS: the nodes are found up to where the frame is cut. */
static void
test_peers(void)
{
	const uint32_t body[] = { 7, 4, 0x01020304, 9, 0, 8, 99 };
	const struct stn_wireup_frame frame = { { STN_WIREUP_PEERS, 0,
						  sizeof(body) },
						(const unsigned char *)body };
	struct stn_card card;
	uint32_t rank;
	size_t at = 0;

	tap_ok(stn_wireup_frame_peer(&frame, &at, &rank, &card) && rank == 7 &&
		       card.size == 4 && !memcmp(card.bytes, &body[2], 4) &&
		       stn_wireup_frame_peer(&frame, &at, &rank, &card) &&
		       rank == 9 && !card.size,
	       "the cards of nodes that join are found");
	tap_ok(!stn_wireup_frame_peer(&frame, &at, &rank, &card) &&
		       at == 5 * sizeof(body[0]),
	       "a card that is longer than the frame is none");
}

/* Reads a VIEW frame of a run of 4 nodes with these numbers as its body. */
static enum stn_err
read_view(const uint32_t *numbers, size_t size, uint32_t *root_p,
	  struct stn_change **changes_p, uint32_t *count_p)
{
	const struct stn_wireup_frame frame = {
		{ STN_WIREUP_VIEW, 0, (uint32_t)size },
		(const unsigned char *)numbers
	};

	return stn_wireup_frame_view(&frame, 4, root_p, changes_p, count_p);
}

static void
test_views(void)
{
	static const uint32_t wrong[][7] = {
		{ 4, 3, STN_DIED, 1, STN_LEFT },
		{ 2, 4, STN_DIED, 1, STN_LEFT },
		{ 2, 3, STN_JOINED + 1, 1, STN_LEFT },
		{ 2, 3, STN_DIED, 3, STN_LEAVING },
		{ 2, 3, STN_LEAVING, 3, STN_LEAVING },
		{ 2, 3, STN_DIED, 3, STN_LEFT },
	};
	const uint32_t right[] = { 2, 3, STN_DIED, 1, STN_LEFT };
	const uint32_t all[] = { 2, 0, 0, 1, 0, 2, 0, 3, 0 };
	struct stn_change *changes = NULL;
	uint32_t root = 0, count = 0;
	bool rejected = true;

	tap_ok(!read_view(right, sizeof(right), &root, &changes, &count) &&
		       root == 2 && count == 2 && changes[0].rank == 3 &&
		       changes[0].what == STN_DIED && changes[1].rank == 1 &&
		       changes[1].what == STN_LEFT,
	       "a view has a root and changes");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		rejected = rejected && read_view(wrong[i], sizeof(right), &root,
						 &changes, &count);
	tap_ok(rejected, "of nodes of the run, of known kinds, once each");
	tap_ok(read_view(right, 4, &root, &changes, &count) &&
		       read_view(right, 16, &root, &changes, &count) &&
		       read_view(all, sizeof(all), &root, &changes, &count),
	       "of whole changes, one at least, and a node lives");
	free(changes);
}

/* Reads a card of @size bytes. If it is accepted, copies its tasks' text. */
static enum stn_err
read_card(const unsigned char *bytes, size_t size, char *tasks_text)
{
	unsigned char *exact = malloc(size ? size : 1);
	struct stn_card card = { exact, size };
	struct stn_card_content content;
	struct stn_why why = { "" };
	enum stn_err err;

	memcpy(exact, bytes, size);
	err = stn_card_read(&card, 5, &content, &why);
	if (!err) {
		if (content.address != exact + 24 || content.address_bytes != 7)
			err = STN_IO;
		strcpy(tasks_text, content.tasks);
		free(content.tasks);
	} else if (!strstr(why.text, "node 5")) {
		err = STN_OK; /* a failure: @why must name the node */
	}
	free(exact);
	return err;
}

static void
test_card(void)
{
	unsigned char header[STN_HEADER_BYTES];
	static const char *const fields[] = {
		"magic",       "magic",		 "version",
		"record size", "address length", "length of the tasks"
	};
	const uint32_t too_long = STN_ADDRESS_BYTES + 1;
	char tasks_text[64] = "";
	size_t size = 0;
	bool cut = true;
	unsigned char *card = stn_card_write((const unsigned char *)"address",
					     7, "int f():4\n", &size);

	tap_ok(card && size == 24 + 7 + 10 &&
		       !read_card(card, size, tasks_text) &&
		       !strcmp(tasks_text, "int f():4\n"),
	       "a card is read as it was written");
	for (size_t i = 0; i < size; i++)
		cut = cut && read_card(card, i, tasks_text);
	tap_ok(cut, "cut off anywhere, it is rejected");
	for (size_t i = 0; i < 24; i += 4) {
		card[i] ^= 1;
		tap_ok(read_card(card, size, tasks_text) ==
			       (i < 16 ? STN_INVALID : STN_MALFORMED),
		       "and so it is if its %s is wrong", fields[i / 4]);
		card[i] ^= 1;
	}
	/* 24 + 7 + (2^32 - 7) is 24 in 32 bits. */
	memcpy(card + 20, (const uint32_t[]){ 0xfffffff9u }, 4);
	tap_ok(read_card(card, 24, tasks_text) == STN_MALFORMED,
	       "lengths that wrap to the card's size are rejected");
	free(card);
	card = stn_card_write(header, sizeof(header), "", &size);
	memcpy(card + 16, (const uint32_t[]){ too_long, 0 }, 8);
	card = realloc(card, 24 + too_long);
	memset(card + 24, 0, too_long);
	tap_ok(read_card(card, 24 + too_long, tasks_text) == STN_MALFORMED,
	       "and so is too long an address");
	free(card);
}

static void
test_agree(void)
{
	struct stn_why why = { "" };

	tap_ok(!stn_table_agree("a\nb\n", "a\nb\n", 2, &why),
	       "equal tables agree");
	tap_ok(stn_table_agree("a\n", "a\nb\n", 2, &why) == STN_INVALID &&
		       strstr(why.text, "node 2 has a task \"b\""),
	       "a task that only the other has is named");
	tap_ok(stn_table_agree("a\nbb\n", "a\n", 2, &why) == STN_INVALID &&
		       strstr(why.text, "node 2 lacks the task \"bb\""),
	       "and so is one that it lacks");
	tap_ok(stn_table_agree("ab\n", "a\n", 2, &why) == STN_INVALID &&
		       strstr(why.text, "\"a\""),
	       "the beginning of a task isn't the task");
	tap_ok(stn_table_agree("", "\n\n", 2, &why) == STN_INVALID &&
		       stn_table_agree("a\n", "", 2, &why) == STN_INVALID &&
		       stn_table_agree("a\n", "a", 2, &why) == STN_INVALID,
	       "texts that are no tables don't agree");
}

int
main(void)
{
	tap_begin();
	test_heads();
	test_senders();
	test_adding();
	test_cards();
	test_peers();
	test_views();
	test_card();
	test_agree();
	return tap_end();
}
