#include "transport/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number of the field starttime in /proc/PID/stat; see proc(5). */
#define STAT_START_TIME 22

/*
 * In two processes with equal host and pid_namespace a process number means the
 * same process.
 */
struct identity {
	unsigned char host[16]; /* the boot's identifier; zeros: unknown */
	uint64_t pid_namespace; /* 0: unknown */
	uint32_t process;
	uint32_t started; /* start time, because numbers are used again */
};

_Static_assert(sizeof(struct identity) == STN_IDENTITY_BYTES, "as promised");

bool
stn_is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/*
 * Reads the beginning of a file as a text; empty, with errno, if it can't be
 * read.
 */
static void
read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);

	text[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

static void
read_boot(unsigned char host[16])
{
	char text[37];

	read_text("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	if (strlen(text) != 36)
		return;
	for (int from = 0, to = 0; to < 16; from += 2, to++) {
		char digits[3] = "";

		from += text[from] == '-';
		memcpy(digits, text + from, 2);
		host[to] = (unsigned char)strtoul(digits, NULL, 16);
	}
}

/* Different texts make different hosts, except for hash collisions (FNV-1a). */
static void
pretend(unsigned char host[16])
{
	const char *text = getenv(STN_IDENTITY_PRETEND);
	uint64_t hash = 0xcbf29ce484222325u;

	if (!text || !*text)
		return;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	for (int i = 0; i < 8; i++)
		host[i] ^= (unsigned char)(hash >> 8 * i);
}

/*
 * The low bits of a process's start time; 0: unknown. It is read from the
 * process's first thread, which started with the process. A user-mode emulator
 * makes up its own /proc/PID/stat, but not the stat file of the thread.
 */
static uint32_t
read_start_time(uint32_t process)
{
	char path[48], text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", process, process);
	read_text(path, text, sizeof(text));
	/* The second field is a name in brackets, and may contain brackets. */
	at = strrchr(text, ')');
	for (int field = 2; at && field < STAT_START_TIME; field++)
		at = strchr(at + 1, ' ');
	return at ? (uint32_t)strtoull(at, NULL, 10) : 0;
}

void
stn_identity_write(unsigned char bytes[STN_IDENTITY_BYTES])
{
	struct identity identity = { .process = (uint32_t)getpid() };
	struct stat pid_namespace;

	read_boot(identity.host);
	pretend(identity.host);
	if (!stat("/proc/self/ns/pid", &pid_namespace))
		identity.pid_namespace = pid_namespace.st_ino;
	identity.started = read_start_time(identity.process);
	memcpy(bytes, &identity, sizeof(identity));
}

bool
stn_identity_same_host(const unsigned char one[STN_IDENTITY_BYTES],
		       const unsigned char other[STN_IDENTITY_BYTES])
{
	static const unsigned char unknown[16];
	size_t host = offsetof(struct identity, host);

	return memcmp(one + host, unknown, sizeof(unknown)) &&
	       !memcmp(one + host, other + host, sizeof(unknown));
}

bool
stn_identity_same_namespace(const unsigned char one_bytes[STN_IDENTITY_BYTES],
			    const unsigned char other_bytes[STN_IDENTITY_BYTES])
{
	struct identity one, other;

	memcpy(&one, one_bytes, sizeof(one));
	memcpy(&other, other_bytes, sizeof(other));
	return stn_identity_same_host(one_bytes, other_bytes) &&
	       one.pid_namespace && one.pid_namespace == other.pid_namespace;
}

bool
stn_process_ended(int pidfd)
{
	struct pollfd event = { .fd = pidfd, .events = POLLIN };
	int count;

	do
		count = poll(&event, 1, 0);
	while (count < 0 && errno == EINTR);
	return count > 0;
}

static enum stn_process_kind
kind_unseen(void)
{
	return stn_is_shortage(errno) ? STN_PROCESS_UNSEEN : STN_PROCESS_REMOTE;
}

/*
 * The start time is compared after the pidfd is open: a process that has the
 * number and the start time now had them then, too, so the pidfd is its own. If
 * the start time differs, there are three cases: the process has ended
 * meanwhile and has no start time; the number belongs to another process; or
 * the two processes are in different time namespaces. In the last two cases the
 * kernel can't say whether the process lives.
 */
enum stn_process_kind
stn_identity_resolve(const unsigned char mine_bytes[STN_IDENTITY_BYTES],
		     const unsigned char theirs_bytes[STN_IDENTITY_BYTES],
		     int *pidfd_p)
{
	struct identity mine, theirs;
	int pidfd;

	memcpy(&mine, mine_bytes, sizeof(mine));
	memcpy(&theirs, theirs_bytes, sizeof(theirs));
	if (!stn_identity_same_namespace(mine_bytes, theirs_bytes))
		return STN_PROCESS_REMOTE;
	if (mine.process == theirs.process && mine.started == theirs.started)
		return STN_PROCESS_SELF;
	pidfd = (int)syscall(SYS_pidfd_open, (pid_t)theirs.process, 0u);
	if (pidfd < 0)
		return errno == ESRCH ? STN_PROCESS_ENDED : kind_unseen();
	errno = 0;
	if (read_start_time(theirs.process) != theirs.started) {
		enum stn_process_kind kind = kind_unseen();
		bool ended = stn_process_ended(pidfd);

		close(pidfd);
		return ended ? STN_PROCESS_ENDED : kind;
	}
	*pidfd_p = pidfd;
	return STN_PROCESS_LOCAL;
}
