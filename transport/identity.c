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

#define BEGAN                                                                  \
	22 /* the field of /proc/PID/stat that proc(5) calls starttime         \
	    */

/* Two with equal host and space have the same process numbers. */
struct identity {
	unsigned char host[16]; /* of one boot; zeros: unknown */
	uint64_t space;		/* of process numbers; 0: unknown */
	uint32_t process;
	uint32_t began; /* when, to tell it from another of its number */
};

_Static_assert(sizeof(struct identity) == STN_IDENTITY_BYTES, "as promised");

/* The beginning of a file, as a text; empty if it can't be read. */
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

/* Two texts make two hosts, if not by a rare accident (FNV-1a). */
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
 * The low bits of when a process began; 0: unknown. That is when its first
 * thread did. An emulator of another machine's user programs makes up its own
 * process's /proc/PID/stat, but not the thread's.
 */
static uint32_t
read_began(uint32_t process)
{
	char path[48], text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", process, process);
	read_text(path, text, sizeof(text));
	/* The second field is a name in brackets, and may hold any of them. */
	at = strrchr(text, ')');
	for (int field = 2; at && field < BEGAN; field++)
		at = strchr(at + 1, ' ');
	return at ? (uint32_t)strtoull(at, NULL, 10) : 0;
}

void
stn_identity_write(unsigned char bytes[STN_IDENTITY_BYTES])
{
	struct identity identity = { .process = (uint32_t)getpid() };
	struct stat space;

	read_boot(identity.host);
	pretend(identity.host);
	if (!stat("/proc/self/ns/pid", &space))
		identity.space = space.st_ino;
	identity.began = read_began(identity.process);
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
stn_identity_neighbours(const unsigned char one_bytes[STN_IDENTITY_BYTES],
			const unsigned char other_bytes[STN_IDENTITY_BYTES])
{
	struct identity one, other;

	memcpy(&one, one_bytes, sizeof(one));
	memcpy(&other, other_bytes, sizeof(other));
	return stn_identity_same_host(one_bytes, other_bytes) && one.space &&
	       one.space == other.space;
}

/*
 * The time is compared after the process is held: from then on its number
 * can't become another's. If it differs, the number may be another's already,
 * or the clock's namespace another: the kernel can't tell whether it lives.
 */
enum stn_kinship
stn_identity_meet(const unsigned char mine_bytes[STN_IDENTITY_BYTES],
		  const unsigned char theirs_bytes[STN_IDENTITY_BYTES],
		  int *pidfd_p)
{
	struct identity mine, theirs;
	int pidfd;

	memcpy(&mine, mine_bytes, sizeof(mine));
	memcpy(&theirs, theirs_bytes, sizeof(theirs));
	if (!stn_identity_neighbours(mine_bytes, theirs_bytes))
		return STN_STRANGER;
	if (mine.process == theirs.process && mine.began == theirs.began)
		return STN_SELF;
	pidfd = (int)syscall(SYS_pidfd_open, (pid_t)theirs.process, 0u);
	if (pidfd < 0)
		return errno == ESRCH ? STN_DEPARTED : STN_STRANGER;
	if (read_began(theirs.process) != theirs.began) {
		close(pidfd);
		return STN_STRANGER;
	}
	*pidfd_p = pidfd;
	return STN_NEIGHBOUR;
}

bool
stn_identity_has_ended(int pidfd)
{
	struct pollfd fd = { pidfd, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0;
}
