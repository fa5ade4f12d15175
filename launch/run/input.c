#include "launch/run/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/run/descriptors.h"

#define PIECE 4096 /* an empty pipe takes so many bytes at once */

/* Makes the file in which input is kept. */
static int
make_log(void)
{
	const char *directory = getenv("TMPDIR");
	char path[PATH_MAX];
	int log;

	snprintf(path, sizeof(path), "%s/sateen-input-XXXXXX",
		 directory && *directory ? directory : "/tmp");
	log = mkostemp(path, O_CLOEXEC);
	if (log >= 0)
		unlink(path);
	return log;
}

static enum stn_input_kind
input_kind(mode_t mode)
{
	if (S_ISFIFO(mode))
		return STN_INPUT_PIPE;
	return S_ISSOCK(mode) ? STN_INPUT_SOCKET : STN_INPUT_OTHER;
}

void
stn_input_init(struct stn_input *input, bool keeps)
{
	struct stat is;
	bool found = !fstat(STDIN_FILENO, &is);

	*input = (struct stn_input){ .keeps = keeps, .log = -1 };
	if (!keeps || !found)
		return;
	input->kind = input_kind(is.st_mode);
	if (S_ISREG(is.st_mode)) {
		input->log = STDIN_FILENO;
		input->base = (uint64_t)lseek(STDIN_FILENO, 0, SEEK_CUR);
	} else {
		input->log = make_log();
	}
	input->terminal = isatty(STDIN_FILENO);
}

void
stn_input_fini(struct stn_input *input)
{
	if (input->log != STDIN_FILENO)
		stn_descriptor_close(&input->log);
}

/* Has the present root not got yet what the last one had? */
static bool
repeats(const struct stn_input *input)
{
	return input->at < input->kept;
}

/* Would the kernel refuse to let this process read the terminal? */
static bool
is_in_background(const struct stn_input *input)
{
	pid_t reader = input->terminal ? tcgetpgrp(STDIN_FILENO) : -1;

	return reader >= 0 && reader != getpgrp();
}

int
stn_input_fd(const struct stn_input *input)
{
	if (repeats(input) || (input->ended && input->log >= 0))
		return input->log; /* a file, which is always readable */
	return is_in_background(input) ? -1 : STDIN_FILENO;
}

static void
lose(struct stn_input *input)
{
	input->is_lost = true;
	stn_descriptor_close(&input->log);
}

/* The root has got these bytes of standard input. */
static void
input_note(struct stn_input *input, const char *bytes, size_t size)
{
	off_t end = (off_t)(input->base + input->kept);

	input->kept += size;
	input->at = input->kept;
	if (!input->keeps || input->log == STDIN_FILENO)
		return;
	input->is_lost = input->log < 0;
	while (size && input->log >= 0) {
		ssize_t put = pwrite(input->log, bytes, size, end);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			lose(input);
			break;
		}
		bytes += put;
		end += put;
		size -= (size_t)put;
	}
}

static ssize_t
read_again(struct stn_input *input, void *bytes, size_t most)
{
	uint64_t left = input->kept - input->at;
	ssize_t got = pread(input->log, bytes, left < most ? left : most,
			    (off_t)(input->base + input->at));

	if (got <= 0) { /* the file has become shorter, or can't be read */
		input->ended = true;
		input->at = input->kept;
		return 0;
	}
	input->at += (uint64_t)got;
	return got;
}

/* What a call that reads standard input has returned. */
static ssize_t
result_of(struct stn_input *input, ssize_t got)
{
	bool waits = got < 0 && (errno == EINTR || errno == EAGAIN ||
				 is_in_background(input));

	if (waits)
		return -1;
	input->ended = got <= 0;
	return got > 0 ? got : 0;
}

ssize_t
stn_input_read(struct stn_input *input, void *bytes, size_t most)
{
	ssize_t got;

	if (repeats(input))
		return read_again(input, bytes, most);
	if (input->ended)
		return 0;
	got = result_of(input, read(STDIN_FILENO, bytes, most));
	if (got > 0)
		input_note(input, bytes, (size_t)got);
	return got;
}

/* Copies bytes to the pipe that are not read before the root has got them. */
static ssize_t
show(struct stn_input *input, int pipe)
{
	char bytes[PIECE];
	ssize_t got;

	if (input->kind == STN_INPUT_PIPE) {
		got = tee(STDIN_FILENO, pipe, INT_MAX, SPLICE_F_NONBLOCK);
		got = result_of(input, got);
	} else {
		got = recv(STDIN_FILENO, bytes, sizeof(bytes),
			   MSG_PEEK | MSG_DONTWAIT);
		got = result_of(input, got);
		if (got > 0)
			got = write(pipe, bytes, (size_t)got);
	}
	input->offered = got > 0 ? (size_t)got : 0;
	return got;
}

ssize_t
stn_input_offer(struct stn_input *input, int pipe)
{
	char bytes[PIECE];
	ssize_t got;

	if (input->kind != STN_INPUT_OTHER && !repeats(input) && !input->ended)
		return show(input, pipe);
	got = stn_input_read(input, bytes, sizeof(bytes));
	return got > 0 ? write(pipe, bytes, (size_t)got) : got;
}

void
stn_input_taken(struct stn_input *input, size_t left)
{
	size_t taken = input->offered > left ? input->offered - left : 0;
	char bytes[PIECE];

	/* Another process may have read the input meanwhile. */
	while (taken && stn_descriptor_is_readable(STDIN_FILENO)) {
		size_t most = taken < sizeof(bytes) ? taken : sizeof(bytes);
		ssize_t got = read(STDIN_FILENO, bytes, most);

		if (got <= 0)
			break;
		input_note(input, bytes, (size_t)got);
		taken -= (size_t)got;
	}
	input->offered = 0;
}

void
stn_input_restart(struct stn_input *input)
{
	input->at = 0;
	if (!input->is_lost)
		return;
	input->at = input->kept; /* the root finds an empty input */
	input->ended = true;
}
