#include "node/stats/counts.h"

#define COUNT(name, text)                                                      \
	{                                                                      \
#name, text, offsetof(struct stn_counts, name), NULL, NULL,    \
			NULL                                                   \
	}
#define TIME(name, text)                                                       \
	{                                                                      \
#name, text, offsetof(struct stn_counts, times.name), NULL,    \
			NULL, NULL                                             \
	}

static const struct stn_count rows[] = {
	COUNT(messages_lan, "messages, LAN"),
	COUNT(bytes_lan, "  bytes"),
	COUNT(messages_wan, "messages, WAN"),
	COUNT(bytes_wan, "  bytes"),
	COUNT(bytes_copied, "bytes copied on their way"),
	{ "working_ns", "seconds working",
	  offsetof(struct stn_counts, times.working_ns), NULL, "share_working",
	  "share of the time working" },
	TIME(communicating_ns, "seconds communicating"),
	TIME(idle_ns, "seconds idle"),
	TIME(sync_ns, "of these two, in a sync"),
	TIME(on_core_ns, "seconds on a processor"),
	TIME(core_wait_ns, "seconds waiting for a processor"),
	COUNT(answering_ns, "seconds handling messages"),
};

const struct stn_count_table stn_counts_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.bytes = sizeof(struct stn_counts),
};

static struct stn_mail
all_kinds(const struct stn_mail mails[STN_KINDS_MOST])
{
	struct stn_mail sum = { 0 };

	for (int i = 0; i < STN_KINDS_MOST; i++) {
		sum.messages += mails[i].messages;
		sum.bytes += mails[i].bytes;
	}
	return sum;
}

void
stn_counts_finish(struct stn_counts *counts)
{
	const struct stn_mail lan = all_kinds(counts->sent[false]);
	const struct stn_mail wan = all_kinds(counts->sent[true]);

	counts->messages_lan = lan.messages;
	counts->bytes_lan = lan.bytes;
	counts->messages_wan = wan.messages;
	counts->bytes_wan = wan.bytes;
}

uint64_t
stn_counts_time(const struct stn_counts *counts)
{
	const struct stn_times *times = &counts->times;

	return times->working_ns + times->communicating_ns + times->idle_ns;
}

uint64_t
stn_mails_both(const struct stn_mail mails[2][STN_KINDS_MOST], unsigned kind)
{
	return mails[false][kind].messages + mails[true][kind].messages;
}
