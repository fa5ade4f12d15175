/*
 * gateway_own.h: the gateway's own, which its files share.
 *
 *	gateway.c	 the loop, the clock, the end
 *	gateway_doubt.c	 why the run has failed
 *	gateway_doors.c	 where it listens
 *	gateway_guest.c	 connections that have not yet proved who they are
 *	gateway_meet.c	 finding the other gateways, and calling them
 *	gateway_trunk.c	 what gateways say to each other
 *	gateway_node.c	 what the cluster's own nodes say
 *	gateway_child.c	 the command
 *
 * One thread; nothing blocks, but for asking the meeting point before the run.
 * What is freed stays in memory until the events at hand are dealt with.
 */
#ifndef STN_TRANSPORT_WAN_GATEWAY_OWN_H
#define STN_TRANSPORT_WAN_GATEWAY_OWN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "transport/wan/entry.h"
#include "transport/wan/gateway.h"
#include "transport/wan/knock.h"
#include "transport/wan/meeting.h"
#include "transport/wan/switch.h"
#include "transport/wan/tls.h"
#include "transport/wireup/wireup_server.h"

struct gateway;

/* Something whose descriptor is watched. */
struct watch {
	void (*ready)(struct gateway *gateway, struct watch *watch,
		      uint32_t events);
	bool dead; /* it is to be freed, and gets no more events */
	struct watch *next_dead;
};

enum guest_state {
	GUEST_CALLS,  /* we have called; not connected yet */
	GUEST_PROVES, /* the handshake goes on */
	GUEST_SPEAKS, /* it has proved itself; its HELLO is to come */
	GUEST_WAITS,  /* it has said HELLO; will it be chosen? */
	GUEST_KNOCKS  /* from inside: what it wants is to come */
};

struct guest {
	struct watch watch;
	struct guest *next, **previous;
	enum guest_state state;
	bool called;   /* by us */
	bool expected; /* it comes from where another gateway is */
	int fd;
	uint32_t events;
	struct stn_place from; /* whom we have called, or who has called */
	uint64_t until_ns;
	char cluster[STN_NAME_BYTES]; /* called, or proved; or "" */
	struct stn_session *session;
	struct stn_line line; /* once it has proved itself */
	unsigned char knock[STN_KNOCK_BYTES];
	size_t got;
};

/* A socket that listens. */
struct door {
	struct watch watch;
	int fd;
	bool outside; /* for other gateways, not for nodes */
};

/* A connection that carries segments: of a node, or a trunk. */
struct seat {
	struct watch watch;
	struct stn_port port;
};

/* What all members are told: freed when each has it, or is gone. */
struct news {
	unsigned holders;
	size_t size;
	unsigned char bytes[];
};

/* A node's connection to us as its launcher. */
struct member {
	struct watch watch;
	uint32_t rank; /* in the cluster */
	struct stn_frame_in frame;
	struct stn_line line;
	struct news
		*news; /* that it is being told, after the line's; or NULL */
	size_t told;   /* of their bytes */
	uint32_t events;
	bool gave_up; /* its end follows from another's */
};

/* The cards of a cluster's nodes. */
struct pile {
	unsigned char *bytes;
	size_t size;
	bool whole;
};

/* A cluster of the run, ours too. */
struct party {
	char name[STN_NAME_BYTES];
	struct stn_entry entry;
	struct seat *trunk;    /* NULL: none yet */
	struct guest *calling; /* under way, by us */
	struct stn_why last;   /* how the last call has failed */
	size_t next_place;
	uint64_t call_at_ns;
	uint64_t heard_ns; /* when its gateway was heard last */
	uint32_t size;	   /* 0: not known yet */
	bool arrived;	   /* all its nodes are at the barrier */
	struct pile cards; /* of the round that goes on, */
	struct pile next;  /*   and of the next, which may come before */
};

/* Which lines are said, and which only counted. */
struct refusals {
	unsigned said, held;
	uint64_t last_ns;
};

/* Instead of a node that is missed: the command has ended. */
#define GATEWAY_COMMAND (STN_NOBODY - 1)

struct gateway {
	const struct stn_gateway_options *options;
	struct stn_entry entry; /* what we leave at the meeting point, */
	struct stn_meeting *meeting;
	bool entered;		 /*   once that has let us in, */
	struct stn_why kept_out; /*   which it hasn't, because of this */
	struct stn_tls *tls;
	int epoll;
	int signals;
	struct watch signal_watch;
	struct door doors[STN_ENTRY_PLACES + 1];
	size_t door_count;
	uint16_t inside_port, outside_port;
	unsigned char token[STN_TOKEN_BYTES];
	struct guest *guests;
	unsigned strangers, callers; /* unproved guests: outside, inside */
	struct refusals refusals;
	struct party *parties; /* by name, when all are known */
	uint32_t known, mine;
	uint64_t give_up_ns; /* on the others, or on calling them */
	uint64_t alive_ns;   /* when we say again that we live */
	uint64_t looked_ns;  /* when we last saw to whether others do */
	uint64_t look_ns;    /* when the meeting point is asked again */
	bool begun;	     /* all trunks are there, since: */
	uint64_t begun_ns;
	struct stn_switch hub;
	struct member **members; /* by rank in the cluster */
	uint32_t size, present;	 /* how many they are, and have come */
	bool planned;		 /* all clusters' sizes are known */
	struct stn_wireup_server server;
	bool over; /* all nodes of all clusters are at the barrier */
	pid_t child;
	int status;
	uint64_t kill_ns;     /* the command must have ended by then */
	bool killed;	      /* it has been asked to end */
	bool told;	      /* by another: it tells all */
	bool failed;	      /* and the user has been told why */
	struct stn_why doubt; /* why it will have failed */
	uint64_t doubt_ns;    /*   then, unless a better reason comes */
	uint32_t missed;      /*   than that this node is gone */
	struct watch *dead;
	sigset_t old_mask;
};

/* gateway.c */

/* gateway_now: the machine's clock. */
uint64_t gateway_now(void);

/* gateway_say: a line on stderr. */
void gateway_say(const struct gateway *gateway, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* gateway_watch: watches, or changes what is watched for. */
bool gateway_watch(struct gateway *gateway, struct watch *watch, int fd,
		   uint32_t events);
void gateway_rewatch(struct gateway *gateway, struct watch *watch, int fd,
		     uint32_t events);

/*
 * gateway_unwatch: to be called before @fd is closed. Between fork and exec the
 * command has it open, too, so that its events would go on.
 */
void gateway_unwatch(struct gateway *gateway, int fd);

/* gateway_bury: frees it later; its descriptor has been closed. */
void gateway_bury(struct gateway *gateway, struct watch *watch);

/* gateway_doubt.c */

/*
 * gateway_fail: the run has failed: says so, tells the other gateways, and ends
 * the command. Only the first is said.
 */
void gateway_fail(struct gateway *gateway, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The same in a moment, if no better reason comes, here or from others. By what
 * each knows, the least first:
 *
 * gateway_doubt_command: the command has ended; but if it was killed, by
 *     @signal (else 0), nothing says more. After the run its @status may be
 *     main's where node 0 is: so nothing is said of that
 * gateway_doubt_road: node @rank's connection is lost
 * gateway_doubt_missed: node @by gives up, as @missed is gone: so its own end
 *     is none of the reasons
 * gateway_doubt_node: a node of ours, which had said nothing, has ended
 */
void gateway_doubt_command(struct gateway *gateway, int signal, int status);
void gateway_doubt_road(struct gateway *gateway, uint32_t rank,
			const char *how);
void gateway_doubt_missed(struct gateway *gateway, uint32_t by, uint32_t missed,
			  const char *text);
void gateway_doubt_node(struct gateway *gateway, uint32_t rank,
			uint32_t in_cluster);

/* gateway_look_at_doubt: has the moment passed? */
void gateway_look_at_doubt(struct gateway *gateway, uint64_t now);

/*
 * gateway_explain_status: the run is over, and hasn't failed: says why the
 * command has, all the same, if there was a doubt.
 */
void gateway_explain_status(struct gateway *gateway);

/* gateway_doors.c */

/*
 * gateway_open_doors: listens.
 * @entry  gets where others can call us
 */
STN_CHECKED enum stn_err gateway_open_doors(struct gateway *gateway,
					    struct stn_entry *entry,
					    struct stn_why *why);
void gateway_close_doors(struct gateway *gateway);

/* gateway_guest.c */

/* gateway_accept: somebody is at a door. */
void gateway_accept(struct gateway *gateway, struct watch *watch,
		    uint32_t events);

/* gateway_call: calls another gateway; NULL if that failed at once. */
struct guest *gateway_call(struct gateway *gateway, const char *cluster,
			   const struct stn_place *to);

/* gateway_dismiss: ends it, and says why, if somebody should know. */
void gateway_dismiss(struct gateway *gateway, struct guest *guest,
		     const char *why);

/* gateway_seat: it becomes a port; the guest is gone. */
struct seat *gateway_seat(struct gateway *gateway, struct guest *guest,
			  struct stn_port as);

/* gateway_look_at_guests: dismisses those who take too long. */
void gateway_look_at_guests(struct gateway *gateway, uint64_t now);

/* gateway_refusals: says how many refusals have not been said. */
void gateway_refusals(struct gateway *gateway, uint64_t now);

/* gateway_meet.c */

/* gateway_look: asks the meeting point, and calls, as long as there is need. */
void gateway_look(struct gateway *gateway, uint64_t now);

/* gateway_find: the party of this name; NULL if it isn't known. */
struct party *gateway_find(struct gateway *gateway, const char *name);

/* gateway_trunk.c */

/* gateway_greet: says HELLO to a guest that has proved itself. */
void gateway_greet(struct gateway *gateway, struct guest *guest);

/* gateway_heard: something has come from a guest that has proved itself. */
void gateway_heard(struct gateway *gateway, struct guest *guest);

/* gateway_tell: a segment of our own to all other gateways. */
void gateway_tell(struct gateway *gateway, enum stn_trunk_type type,
		  const void *bytes, size_t size);

/* gateway_look_at_trunks: says that we live; do the others? */
void gateway_look_at_trunks(struct gateway *gateway, uint64_t now);

extern const struct stn_switch_calls gateway_switch_calls;

/* gateway_node.c */

/* gateway_knock: a guest from inside has said what it wants. */
void gateway_knock(struct gateway *gateway, struct guest *guest,
		   const struct stn_knock *knock);

/*
 * gateway_hear: takes what a node, or each of ours (STN_NOBODY), has said and
 * nobody has read yet.
 */
void gateway_hear(struct gateway *gateway, uint32_t rank);

/* gateway_plan: tells all, if all clusters' sizes are known. */
void gateway_plan(struct gateway *gateway);

/* gateway_pile: adds bytes to a pile; false if there is no memory. */
bool gateway_pile(struct pile *pile, const void *bytes, size_t size);

/* gateway_deal: deals the round's cards, if all are there. */
void gateway_deal(struct gateway *gateway);

/* gateway_go: lets all leave, if all clusters are at the barrier. */
void gateway_go(struct gateway *gateway);

void gateway_fini_nodes(struct gateway *gateway);

/* gateway_child.c */
void gateway_start_command(struct gateway *gateway);
void gateway_end_command(struct gateway *gateway);
void gateway_look_at_command(struct gateway *gateway, uint64_t now);
void gateway_signal(struct gateway *gateway, struct watch *watch,
		    uint32_t events);

#endif
