#include "parts/news/news_wire.h"

#include <string.h>

const struct stn_kind stn_news_kinds[STN_NEWS_KINDS] = {
	{ STN_NEWS_KIND_TELL, "news-tell", .numbered = true,
	  .number_at = offsetof(struct stn_news_note, level) },
	{ STN_NEWS_KIND_ASK, "news-ask", .numbered = true,
	  .number_at = offsetof(struct stn_news_note, level) },
	{ STN_NEWS_KIND_BALANCE, "news-balance", .numbered = true,
	  .number_at = offsetof(struct stn_news_note, with) },
	{ STN_NEWS_KIND_LOAD, "news-load", .numbered = false },
};

/* A NaN is no load either. */
static bool
load_is_possible(const struct stn_news_load *load)
{
	return load->tasks >= 0 && load->tasks <= STN_NEWS_LOAD_MOST;
}

static bool
note_is_possible(const struct stn_news_wire *wire, uint32_t nodes)
{
	const struct stn_news_note *note = &wire->note;

	if (note->level >= STN_LEVELS)
		return false;
	if (wire->kind != STN_NEWS_KIND_BALANCE)
		return note->with == STN_NOBODY;
	return note->with < nodes && note->with != note->to;
}

enum stn_err
stn_news_parse(const struct stn_message *message, uint32_t nodes,
	       struct stn_news_wire *wire)
{
	bool load = message->kind == STN_NEWS_KIND_LOAD;
	size_t bytes = load ? sizeof(wire->load) : sizeof(wire->note);

	if (message->kind < STN_NEWS_KIND_TELL ||
	    message->kind > STN_NEWS_KIND_LOAD ||
	    message->header_bytes != bytes || message->payload_bytes)
		return STN_MALFORMED;
	wire->kind = message->kind;
	memcpy(&wire->note, message->header, bytes);
	if (wire->note.from >= nodes || wire->note.to >= nodes ||
	    wire->note.from == wire->note.to)
		return STN_MALFORMED;
	if (load ? !load_is_possible(&wire->load)
		 : !note_is_possible(wire, nodes))
		return STN_MALFORMED;
	return STN_OK;
}
