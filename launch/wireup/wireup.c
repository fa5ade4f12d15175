#include "launch/wireup/wireup_ops.h"

void
stn_wireup_destroy(struct stn_wireup *wireup)
{
	if (wireup)
		wireup->ops->destroy(wireup);
}

uint32_t
stn_wireup_nodes(const struct stn_wireup *wireup)
{
	return wireup->nodes;
}

uint32_t
stn_wireup_number(const struct stn_wireup *wireup, uint32_t rank)
{
	if (rank >= wireup->reserved)
		rank -= wireup->skipped;
	return rank < wireup->nodes ? rank : wireup->nodes - 1;
}

uint32_t
stn_wireup_rank(const struct stn_wireup *wireup, uint32_t number)
{
	return number < wireup->reserved ? number : number + wireup->skipped;
}

enum stn_err
stn_wireup_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
		    size_t size, struct stn_card *cards, struct stn_why *why)
{
	if (size > STN_CARD_BYTES)
		return stn_because(why, STN_INVALID,
				   "this program's task table takes %zu bytes; "
				   "at most %d can be sent to other nodes",
				   size, STN_CARD_BYTES);
	return wireup->ops->exchange(wireup, rank, card, size, cards, why);
}

enum stn_err
stn_wireup_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	return wireup->ops->barrier(wireup, why);
}

bool
stn_wireup_survives(const struct stn_wireup *wireup)
{
	return wireup->ops->suspect;
}

void
stn_wireup_suspect(struct stn_wireup *wireup, uint32_t rank, const char *how)
{
	wireup->ops->suspect(wireup, rank, how);
}

void
stn_wireup_applied(struct stn_wireup *wireup, uint32_t view)
{
	wireup->ops->applied(wireup, view);
}

bool
stn_wireup_leaves(const struct stn_wireup *wireup)
{
	return wireup->ops->left;
}

void
stn_wireup_left(struct stn_wireup *wireup, uint32_t rank)
{
	wireup->ops->left(wireup, rank);
}

void
stn_wireup_returned(struct stn_wireup *wireup, int status)
{
	if (wireup->ops->returned)
		wireup->ops->returned(wireup, status);
}

bool
stn_wireup_sums_up(const struct stn_wireup *wireup)
{
	return wireup->ops->summary;
}

void
stn_wireup_summary(struct stn_wireup *wireup, uint32_t view, const char *line)
{
	wireup->ops->summary(wireup, view, line);
}

void
stn_wireup_greet(struct stn_wireup *wireup, stn_wireup_meet *meet, void *arg)
{
	if (wireup->ops->greet)
		wireup->ops->greet(wireup, meet, arg);
}

enum stn_err
stn_wireup_watch(struct stn_wireup *wireup, uint32_t rank,
		 stn_wireup_view *view, void *arg, struct stn_why *why)
{
	return wireup->ops->watch(wireup, rank, view, arg, why);
}

void
stn_wireup_abort(struct stn_wireup *wireup, const char *text)
{
	wireup->ops->abort(wireup, text);
}

void
stn_wireup_miss(struct stn_wireup *wireup, uint32_t missed, const char *text)
{
	if (wireup->ops->miss)
		wireup->ops->miss(wireup, missed, text);
	else
		wireup->ops->abort(wireup, text);
}
