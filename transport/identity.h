/*
 * identity.h: the identity of a process: its host, its process number and its
 * start time. An endpoint's address begins with it. A node that reads the
 * address can let the kernel watch the process if both are on one host.
 */
#ifndef STN_TRANSPORT_IDENTITY_H
#define STN_TRANSPORT_IDENTITY_H

#include <stdbool.h>

#define STN_IDENTITY_BYTES 32

/*
 * For experiments on one machine: processes whose environment has this variable
 * with different texts count as on different hosts, those with the same text as
 * on one host.
 */
#define STN_IDENTITY_PRETEND "STN_PRETEND_HOST"

enum stn_process_kind {
	STN_PROCESS_REMOTE, /* on another host, or the kernel can't watch it */
	STN_PROCESS_SELF,   /* the calling process */
	STN_PROCESS_LOCAL,  /* another process of this host */
	STN_PROCESS_ENDED,  /* a process of this host that has ended */
	STN_PROCESS_UNSEEN  /* of this host, but this process lacks the
			       descriptors or the memory to watch it */
};

/* stn_is_shortage: does an errno say that descriptors or memory are short? */
bool stn_is_shortage(int error);

/* stn_identity_write: writes the identity of this process. Any thread. */
void stn_identity_write(unsigned char identity[STN_IDENTITY_BYTES]);

/*
 * stn_identity_resolve: which kind of process, seen from process @mine, is
 * @theirs? @theirs may be any bytes. For STN_PROCESS_LOCAL only, sets *pidfd_p
 * to a descriptor that becomes readable when the process ends, and that the
 * caller closes. For STN_PROCESS_UNSEEN only, errno says whether descriptors or
 * memory are short. Any thread.
 */
enum stn_process_kind
stn_identity_resolve(const unsigned char mine[STN_IDENTITY_BYTES],
		     const unsigned char theirs[STN_IDENTITY_BYTES],
		     int *pidfd_p);

/*
 * stn_process_ended: has the process of a descriptor from stn_identity_resolve
 * ended? Until then its number is its own. False for -1. Any thread.
 */
bool stn_process_ended(int pidfd);

/*
 * stn_identity_same_namespace: are both processes on one host and in one PID
 * namespace, so that they can open each other's memory by process number? Any
 * thread.
 */
bool stn_identity_same_namespace(const unsigned char one[STN_IDENTITY_BYTES],
				 const unsigned char other[STN_IDENTITY_BYTES]);

/* stn_identity_same_host: are both processes on one host? Any thread. */
bool stn_identity_same_host(const unsigned char one[STN_IDENTITY_BYTES],
			    const unsigned char other[STN_IDENTITY_BYTES]);

#endif
