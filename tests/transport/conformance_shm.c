#include <sys/statvfs.h>

#include "tests/tap.h"
#include "tests/transport/conformance.h"

#define NEEDED_BYTES (400ull << 20) /* other tests run at the same time */

int
main(void)
{
	struct statvfs is;

	if (!statvfs("/dev/shm", &is) &&
	    (uint64_t)is.f_bavail * is.f_frsize < NEEDED_BYTES) {
		tap_skip("libfabric's shm", "400 MB free in /dev/shm");
		return tap_end();
	}
	return conformance("ofi", "shm", NULL);
}
