/*
 * identity.h: which process of which host an endpoint belongs to. It stands
 * before a backend's own address, so that whoever reads that can have the
 * kernel watch a process of its own host.
 */
#ifndef STN_TRANSPORT_IDENTITY_H
#define STN_TRANSPORT_IDENTITY_H

#include <stdbool.h>

#define STN_IDENTITY_BYTES 32

/*
 * For experiments: a process in whose environment this variable is, with any
 * text, counts as on a host of its own, with all that have the same text.
 */
#define STN_IDENTITY_PRETEND "STN_PRETEND_HOST"

enum stn_kinship {
	STN_STRANGER,  /* on another host, or the kernel won't watch it */
	STN_SELF,      /* this very process */
	STN_NEIGHBOUR, /* a process of this host */
	STN_DEPARTED   /* so it was, but it has ended */
};

/* stn_identity_write: this process's. Any thread. */
void stn_identity_write(unsigned char identity[STN_IDENTITY_BYTES]);

/*
 * stn_identity_meet: what is @theirs, any bytes at all, to @mine? Of a
 * neighbour, *pidfd_p is set to a descriptor that becomes readable when it
 * ends, and that the caller closes. Any thread.
 */
enum stn_kinship
stn_identity_meet(const unsigned char mine[STN_IDENTITY_BYTES],
		  const unsigned char theirs[STN_IDENTITY_BYTES], int *pidfd_p);

/* stn_identity_has_ended: has the neighbour with this descriptor? */
bool stn_identity_has_ended(int pidfd);

/*
 * stn_identity_neighbours: are both on one host, and in one space of process
 * numbers, so that they can find each other's memory? Any thread.
 */
bool stn_identity_neighbours(const unsigned char one[STN_IDENTITY_BYTES],
			     const unsigned char other[STN_IDENTITY_BYTES]);

/* stn_identity_same_host: do both belong to one host? Any thread. */
bool stn_identity_same_host(const unsigned char one[STN_IDENTITY_BYTES],
			    const unsigned char other[STN_IDENTITY_BYTES]);

#endif
