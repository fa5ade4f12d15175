/*
 * input.c: standard input as successive roots read it: from a pipe, a socket, a
 * file and a terminal. What the root has not read stays there.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/run/input.h"
#include "tests/tap.h"

static struct stn_input input;
static int root[2]; /* the pipe to the root */

static void
begin(int in, bool keeps)
{
	dup2(in, STDIN_FILENO);
	close(in);
	if (pipe(root))
		abort();
	fcntl(root[1], F_SETPIPE_SZ, 4096);
	stn_input_init(&input, keeps);
}

static void
end(void)
{
	stn_input_fini(&input);
	close(root[0]);
	close(root[1]);
}

/* Does the root, which has all before, get exactly this by one offer? */
static bool
gets(const char *text)
{
	ssize_t size = (ssize_t)strlen(text);
	char bytes[100];
	bool same = stn_input_offer(&input, root[1]) == size &&
		    read(root[0], bytes, sizeof(bytes)) == size &&
		    !memcmp(bytes, text, (size_t)size);

	stn_input_taken(&input, 0);
	return same;
}

/* Is this in standard input, and no more? */
static bool
remains(const char *text)
{
	char bytes[100];
	int there = 0;

	return !ioctl(STDIN_FILENO, FIONREAD, &there) &&
	       there == (int)strlen(text) &&
	       (!there || (read(STDIN_FILENO, bytes, sizeof(bytes)) == there &&
			   !memcmp(bytes, text, strlen(text))));
}

static void
put(int to, const char *text)
{
	if (write(to, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
}

/* @ends: the ends of a pipe or a pair of sockets. */
static void
test_stream(const int ends[2], const char *name)
{
	char bytes[3];

	put(ends[1], "one two");
	begin(ends[0], true);
	tap_ok(stn_input_offer(&input, root[1]) == 7 &&
		       read(root[0], bytes, 3) == 3,
	       "%s: the root reads a part", name);
	stn_input_taken(&input, 4);
	close(root[0]); /* with what the root has not read */
	close(root[1]);
	if (pipe(root))
		abort();
	stn_input_restart(&input);
	tap_ok(gets("one") && gets(" two"), "%s: and the next root all", name);
	tap_ok(stn_input_offer(&input, root[1]) < 0, "%s: more may come", name);
	put(ends[1], "!?");
	tap_ok(stn_input_offer(&input, root[1]) == 2 &&
		       read(root[0], bytes, 3) == 2,
	       "%s: which it gets", name);
	stn_input_taken(&input, 1);
	tap_ok(remains("?"), "%s: what it does not read stays", name);
	close(ends[1]);
	tap_ok(!stn_input_offer(&input, root[1]), "%s: the end comes", name);
	stn_input_restart(&input);
	tap_ok(gets("one two!") && !stn_input_offer(&input, root[1]),
	       "%s: for a third root, too", name);
	end();
}

static void
test_file(void)
{
	char path[] = "/tmp/sateen-test-XXXXXX", bytes[100];
	int file = mkstemp(path);

	unlink(path);
	put(file, "zero one two");
	lseek(file, 5, SEEK_SET);
	begin(file, true);
	tap_ok(stn_input_read(&input, bytes, 3) == 3 &&
		       !memcmp(bytes, "one", 3),
	       "a file is read from its offset on");
	stn_input_restart(&input);
	tap_ok(stn_input_read(&input, bytes, 100) == 3 &&
		       !memcmp(bytes, "one", 3) &&
		       stn_input_read(&input, bytes, 100) == 4 &&
		       !stn_input_read(&input, bytes, 100),
	       "and again, and on to its end");
	tap_ok(lseek(STDIN_FILENO, 0, SEEK_CUR) == 12, "its offset moves");
	end();
}

static void
test_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), terminal;
	char line[100];

	if (master < 0 || grantpt(master) || unlockpt(master) ||
	    (terminal = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0) {
		tap_skip("a terminal is read line by line", "terminals");
		return;
	}
	begin(terminal, true);
	put(master, "one\ntwo\n");
	tap_ok(gets("one\n"), "a terminal is read line by line");
	stn_input_restart(&input);
	tap_ok(gets("one\n"), "the next root gets the line, too");
	put(master, "\x04");
	tap_ok(read(STDIN_FILENO, line, sizeof(line)) == 4 &&
		       !memcmp(line, "two\n", 4),
	       "the next line stays");
	tap_ok(!stn_input_offer(&input, root[1]), "its end comes");
	stn_input_restart(&input);
	tap_ok(gets("one\n") && !stn_input_offer(&input, root[1]),
	       "once for all roots");
	end();
	close(master);
}

static void
test_lost(void)
{
	int ends[2];
	char bytes[100];

	if (pipe(ends))
		abort();
	put(ends[1], "one");
	setenv("TMPDIR", "/dev/null", 1);
	begin(ends[0], true);
	tap_ok(!input.is_lost, "nothing is lost before it is read");
	tap_ok(gets("one") && input.is_lost,
	       "the root reads what can't be kept");
	stn_input_restart(&input);
	put(ends[1], "two");
	tap_ok(!stn_input_read(&input, bytes, sizeof(bytes)),
	       "and the next root finds no input");
	end();
	close(ends[1]);
}

int
main(void)
{
	int ends[2];

	tap_begin();
	if (pipe(ends))
		abort();
	test_stream(ends, "pipe");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
	test_stream(ends, "socket");
	test_file();
	test_terminal();
	test_lost();
	return tap_end();
}
