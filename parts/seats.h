/*
 * seats.h: where resident sets are. A resident set is what a node has of all
 * arrays: its parts and the state of its scheduling. It has the rank of the
 * node on which it began, and moves as a whole (parts/hector). A node has one
 * resident set at most. Net lock held.
 *
 * A node knows where its own resident set has gone, and what passes through it.
 * So a message for a resident set goes to the node where it was last known to
 * be, and from there on to the next.
 */
#ifndef STN_PARTS_SEATS_H
#define STN_PARTS_SEATS_H

#include "parts/parts.h"

/*
 * stn_seat_node: the node that has resident set @seat, as far as this one
 * knows.
 * stn_seat_move: notes that it is on node @to from now on.
 * stn_seat_pass: if the set of this node has gone, and the part can move, sends
 * it after the set.
 */
uint32_t stn_seat_node(const struct stn_parts_service *service, uint32_t seat);
void stn_seat_move(struct stn_parts_service *service, uint32_t seat,
		   uint32_t to);
void stn_seat_pass(struct stn_part *part);

/*
 * stn_seat_report: on the root: the set was on node @node a short time ago.
 * Messages for the set do not go by that, because it may have moved on.
 * stn_seats_list: the resident sets, in their order, and the nodes that have
 * them, as far as this node knows. Sets on nodes that leave are left out; if
 * none is left, each node that stays counts as a set. @seats has room for all
 * nodes. Returns their number.
 */
struct stn_seat {
	uint32_t set, node;
};
void stn_seat_report(struct stn_parts_service *service, uint32_t seat,
		     uint32_t node);
uint32_t stn_seats_list(const struct stn_parts_service *service,
			struct stn_seat *seats);

#endif
