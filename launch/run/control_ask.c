/*
 * control_ask.c: the clients of control sockets.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "launch/run/control.h"
#include "launch/wireup/bytes.h"

#define PATIENCE_SECONDS 2 /* until a launcher is reached, or lists its run */
#define LINE_MOST 65536

/* Is it the number of a run, and no other file's name? */
static bool
is_run(const char *name)
{
	size_t length = strspn(name, "0123456789");

	return length && length < 12 && !name[length];
}

/*
 * Removes the socket if no launcher listens there. STN_MISSING: none does. A
 * launcher that is stopped accepts no connections: connect() would wait for
 * ever when its backlog is full.
 */
static enum stn_err
connect_in(const char *directory, const char *run, int *fd_p,
	   struct stn_why *why)
{
	const struct timeval patience = { PATIENCE_SECONDS, 0 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, problem;

	if (!is_run(run) ||
	    snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s",
		     directory, run) >= (int)sizeof(address.sun_path))
		return stn_because(why, STN_MISSING,
				   "\"%.40s\" is not the number of a run; see "
				   "sateen runs",
				   run);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
			sizeof(patience)) &&
	    !connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		*fd_p = fd;
		return STN_OK;
	}
	problem = errno;
	if (problem == ECONNREFUSED)
		unlink(address.sun_path); /* of a launcher that was killed */
	if (fd >= 0)
		close(fd);
	if (problem == EAGAIN)
		return stn_because(why, STN_LOST,
				   "the run's launcher does not answer");
	if (problem != ECONNREFUSED && problem != ENOENT)
		return stn_because(why, STN_LOST,
				   "can't reach the launcher of run %.40s: %s",
				   run, strerror(problem));
	return stn_because(why, STN_MISSING,
			   "there is no run %.40s of yours on this host; see "
			   "sateen runs",
			   run);
}

static enum stn_err
control_connect(const char *run, int *fd_p, struct stn_why *why)
{
	char directory[STN_CONTROL_PATH];
	enum stn_err err = stn_control_directory(directory, why);

	if (!err)
		err = connect_in(directory, run, fd_p, why);
	if (err == STN_MISSING && stn_control_other(directory))
		err = connect_in(directory, run, fd_p, why);
	return err;
}

static bool
send_request(int fd, const char *const *words)
{
	struct stn_bytes bytes = { NULL };
	bool good = true;

	for (; good && *words; words++)
		good = stn_bytes_add(&bytes, *words, strlen(*words) + 1);
	good = good && stn_bytes_add(&bytes, "", 1) &&
	       send(fd, stn_bytes_front(&bytes), stn_bytes_count(&bytes),
		    MSG_NOSIGNAL) == (ssize_t)stn_bytes_count(&bytes);
	stn_bytes_fini(&bytes);
	return good;
}

/*
 * Reads from the socket, for a stream. With a timeout, a signal interrupts recv
 * even if its handler restarts calls.
 */
static ssize_t
receive_again(void *fd_p, char *bytes, size_t room)
{
	ssize_t got;

	do
		got = recv(*(int *)fd_p, bytes, room, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Reads the answer up to its last line. */
static enum stn_err
read_answer(FILE *in, stn_control_line *line, void *arg, struct stn_why *why)
{
	enum stn_err err = STN_MISSING;
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	while (err == STN_MISSING && (length = getline(&text, &room, in)) > 1 &&
	       length < LINE_MOST) {
		text[length - 1] = '\0';
		if (*text == '!')
			err = stn_because(why, STN_REFUSED, "%s", text + 1);
		else if (*text == '.')
			err = STN_OK;
		else
			line(arg, text + 1);
	}
	free(text);
	return err != STN_MISSING
		       ? err
		       : stn_because(why, STN_LOST,
				     "the run's launcher does not answer");
}

enum stn_err
stn_control_ask(const char *run, const char *const *words, unsigned seconds,
		stn_control_line *line, void *arg, struct stn_why *why)
{
	const struct timeval patience = { (time_t)seconds, 0 };
	const cookie_io_functions_t calls = { .read = receive_again };
	enum stn_err err;
	FILE *in;
	int fd = -1;

	err = control_connect(run, &fd, why);
	if (err)
		return err;
	if (seconds)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
			   sizeof(patience));
	in = fopencookie(&fd, "r", calls);
	if (!in) {
		close(fd);
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	}
	err = send_request(fd, words)
		      ? read_answer(in, line, arg, why)
		      : stn_because(why, STN_LOST,
				    "the run's launcher does not answer");
	fclose(in);
	close(fd);
	return err;
}

static int
is_listed(const struct dirent *entry)
{
	return is_run(entry->d_name);
}

static enum stn_err
list_in(const char *directory, const char *const *words, stn_control_line *line,
	void *arg, struct stn_why *why)
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, is_listed, versionsort);

	for (int i = 0; i < count; i++) {
		struct stn_why skipped; /* a run that has ended meanwhile */

		if (stn_control_ask(entries[i]->d_name, words, PATIENCE_SECONDS,
				    line, arg, &skipped) == STN_LOST)
			fprintf(stderr,
				"sateen: the launcher of run %s does "
				"not answer\n",
				entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return count < 0 ? stn_because(why, STN_IO, "can't read %s: %s",
				       directory, strerror(errno))
			 : STN_OK;
}

enum stn_err
stn_control_list(const char *const *words, stn_control_line *line, void *arg,
		 struct stn_why *why)
{
	char directory[STN_CONTROL_PATH];
	enum stn_err err = stn_control_directory(directory, why);

	if (!err)
		err = list_in(directory, words, line, arg, why);
	if (!err && stn_control_other(directory))
		err = list_in(directory, words, line, arg, why);
	return err;
}
