#include "tests/transport/idle_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t
idle_process(unsigned char identity[STN_IDENTITY_BYTES])
{
	pid_t process;
	int ends[2];

	if (pipe(ends))
		abort();
	fflush(stdout);
	process = fork();
	if (!process) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stn_identity_write(identity);
		if (write(ends[1], identity, STN_IDENTITY_BYTES) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	if (process < 0 ||
	    read(ends[0], identity, STN_IDENTITY_BYTES) != STN_IDENTITY_BYTES)
		abort();
	close(ends[0]);
	close(ends[1]);
	return process;
}

void
end_idle_process(pid_t process)
{
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
}
