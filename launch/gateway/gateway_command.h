/*
 * gateway_command.h: the command that starts the cluster's nodes, such as srun
 * or mpirun; and the signals that the gateway gets.
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_COMMAND_H
#define STN_LAUNCH_GATEWAY_GATEWAY_COMMAND_H

#include <sys/resource.h>
#include <sys/types.h>

#include "launch/gateway/gateway_loop.h"
#include "launch/signals.h"

struct command {
	pid_t pid;	  /* 0: not started, or ended */
	int status;	  /* what the gateway exits with */
	bool interrupted; /* by a signal, which @status is for */
	uint64_t kill_ns; /* the command must have ended by then; 0: never */
	bool killed;	  /* SIGTERM was sent */
	int signals;	  /* a signalfd; -1: not open */
	struct watch signal_watch;
	struct stn_signals_before before;
	rlim_t old_files; /* the soft limit of open files; 0: not known */
};

/* gateway_open_signals: signals become events from now on. */
STN_CHECKED enum stn_err gateway_open_signals(struct gateway *gateway,
					      struct stn_why *why);
void gateway_close_signals(struct gateway *gateway);

/* gateway_start_command: fails the run if it can't be started. */
void gateway_start_command(struct gateway *gateway);

/*
 * gateway_end_command: the run has failed: sets when gateway_check_command ends
 * the command, if it runs.
 */
void gateway_end_command(struct gateway *gateway);

/*
 * gateway_hurry_command: another gateway has ended. After an interrupt that of
 * the first cluster ends before the others, and their commands have no reason
 * to wait any longer.
 */
void gateway_hurry_command(struct gateway *gateway);

/* gateway_check_command: kills the command if it takes too long to end. */
void gateway_check_command(struct gateway *gateway, uint64_t now);

#endif
