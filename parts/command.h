/*
 * command.h: commands: what a caller wants all nodes to do. Net lock held.
 */
#ifndef STN_PARTS_COMMAND_H
#define STN_PARTS_COMMAND_H

#include "parts/parts.h"

/*
 * stn_command_issue: this node's caller gives a command: kind CREATE or
 * OPERATE. stn_command_operate: the same for OPERATE. stn_command_take: a
 * command has arrived: passes it on down the tree, and carries it out.
 * stn_command_again: on the root: a new view has been applied: sends the
 * current operation again, because nodes may not have got it.
 * stn_command_resend: a new view has been applied: sends this node's command
 * again if the root has not got it.
 * stn_command_finished: on the root: all nodes have finished the current
 * operation: repeats the next one if the parts have returned to an earlier
 * version, or tells the caller.
 */
void stn_command_issue(struct stn_parts_service *service, uint8_t kind,
		       const void *header, size_t bytes);
void stn_command_operate(struct stn_parts *array,
			 const struct stn_parts_operate *order);
STN_CHECKED enum stn_err stn_command_take(struct stn_parts_service *service,
					  const struct stn_message *message,
					  struct stn_parts_wire *wire);
void stn_command_again(struct stn_parts *array);
void stn_command_resend(struct stn_parts *array);
void stn_command_finished(struct stn_parts *array);

/*
 * stn_boundary_set: sets the kernel for the points outside of the grid, as of
 * operation @number.
 */
void stn_boundary_set(struct stn_parts *array, uint32_t number);

#endif
