/*
 * schedule.c: files of events. Good ones give the right events in the order of
 * their times; bad ones give a line that names the file and the line.
 */
#include "emul/schedule.h"

#include <string.h>

#include "tests/tap.h"

#define MS 1000000ull

/* Nodes 0-3, 4-6 and 7-9 are the clusters. */
static const struct stn_topology topology = { .nodes = 10, .clusters = 3 };

static enum stn_err
parse(const char *text, struct stn_schedule *schedule, struct stn_why *why)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	enum stn_err err;

	err = stn_schedule_parse(in, "file", &topology, schedule, why);
	fclose(in);
	return err;
}

/* Is the event number @at of the schedule this one? */
static bool
has(const struct stn_schedule *schedule, size_t at,
    struct stn_schedule_event event)
{
	const struct stn_schedule_event *is = &schedule->events[at];

	return is->at_ns == event.at_ns && is->what == event.what &&
	       is->first == event.first && is->last == event.last;
}

static void
test_words(void)
{
	struct stn_schedule schedule;
	struct stn_why why;
	enum stn_err err = parse("# what happens\n"
				 "\n"
				 "1.5s kill node 7\n"
				 "2s\tvanish  cluster 2 # the last\n"
				 "  3s suspect nodes 3-5\r\n"
				 "4s leave nodes 9\n"
				 "5s join cluster 0",
				 &schedule, &why);

	tap_ok(!err && schedule.count == 5 &&
		       has(&schedule, 0,
			   (struct stn_schedule_event){
				   1500 * MS, STN_SCHEDULE_KILL, 7, 7 }) &&
		       has(&schedule, 1,
			   (struct stn_schedule_event){
				   2000 * MS, STN_SCHEDULE_VANISH, 7, 9 }) &&
		       has(&schedule, 2,
			   (struct stn_schedule_event){
				   3000 * MS, STN_SCHEDULE_SUSPECT, 3, 5 }) &&
		       has(&schedule, 3,
			   (struct stn_schedule_event){
				   4000 * MS, STN_SCHEDULE_LEAVE, 9, 9 }) &&
		       has(&schedule, 4,
			   (struct stn_schedule_event){
				   5000 * MS, STN_SCHEDULE_JOIN, 0, 3 }),
	       "all kinds of events; comments, blank lines and blanks");
	stn_schedule_fini(&schedule);
	tap_ok(!schedule.events && !schedule.count,
	       "a schedule that was freed is empty");
}

static void
test_order(void)
{
	static const uint32_t nodes[] = { 1, 4, 2, 5, 0, 3 };
	struct stn_schedule schedule;
	struct stn_why why;
	bool right = !parse("3s kill node 0\n1s kill node 1\n2s kill node 2\n"
			    "3s kill node 3\n1s kill node 4\n2s kill node 5\n",
			    &schedule, &why);

	for (size_t i = 0; right && i < 6; i++)
		right = schedule.events[i].first == nodes[i];
	tap_ok(right && schedule.count == 6,
	       "events are in the order of time, and those of one time in the "
	       "file's order");
	stn_schedule_fini(&schedule);
}

static void
test_empty(void)
{
	struct stn_schedule schedule;
	struct stn_why why;

	tap_ok(!parse("# nothing\n", &schedule, &why) && !schedule.count,
	       "a file without events is an empty schedule");
	stn_schedule_fini(&schedule);
	tap_ok(!stn_schedule_read("none", &topology, &schedule, &why) &&
		       !schedule.count,
	       "\"none\" is an empty schedule");
	tap_ok(stn_schedule_read("/nowhere/events", &topology, &schedule,
				 &why) == STN_IO &&
		       strstr(why.text, "can't read events from /nowhere/"),
	       "a missing file is named: %s", why.text);
}

/* Tests that a text is refused with these words, and leaves no events. */
static void
refuse(const char *text, const char *words)
{
	struct stn_schedule schedule;
	struct stn_why why;

	tap_ok(parse(text, &schedule, &why) == STN_INVALID &&
		       strstr(why.text, words) && !schedule.events &&
		       !schedule.count,
	       "refused: %s", why.text);
}

static void
test_refused(void)
{
	refuse("1s kill node 1\nkill node 2\n",
	       "file, line 2: not TIME WHAT WHOM, such as");
	refuse("5 kill node 2\n", "file, line 1: not TIME WHAT WHOM");
	refuse("-1s kill node 2\n", "file, line 1: not TIME WHAT WHOM");
	refuse("1s\n", "line 1: after the time write kill, vanish, suspect");
	refuse("\n\n1s murder node 2\n", "line 3: after the time write kill");
	refuse("1s kill\n", "end the line by node 7, nodes 3-5 or cluster 2");
	refuse("1s kill 7\n", "end the line by node 7");
	refuse("1s kill host 7\n", "end the line by node 7");
	refuse("1s kill node\n", "end the line by node 7");
	refuse("1s kill node 7 8\n", "end the line by node 7");
	refuse("1s kill node 10\n", "nodes are from 0 to 9");
	refuse("1s kill node 3-5\n", "nodes are from 0 to 9");
	refuse("1s kill nodes 5-3\n", "nodes are from 0 to 9");
	refuse("1s kill nodes 5-\n", "nodes are from 0 to 9");
	refuse("1s kill nodes 0-4294967296\n", "nodes are from 0 to 9");
	refuse("1s kill cluster 3\n", "clusters are from 0 to 2");
	refuse("1s kill cluster 0-1\n", "clusters are from 0 to 2");
}

int
main(void)
{
	tap_begin();
	test_words();
	test_order();
	test_empty();
	test_refused();
	return tap_end();
}
