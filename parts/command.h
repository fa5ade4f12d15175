/*
 * command.h: commands: what a caller wants all nodes to do. Net lock held.
 */
#ifndef STN_PARTS_COMMAND_H
#define STN_PARTS_COMMAND_H

#include "parts/parts.h"

/*
 * stn_command_issue: this node's caller gives a command: kind CREATE or OPERATE.
 * stn_command_take: a command has arrived: passes it on down the tree, and
 * carries it out.
 */
void stn_command_issue(struct stn_parts_service *service, uint8_t kind,
		       const void *header, size_t bytes);
STN_CHECKED enum stn_err stn_command_take(struct stn_parts_service *service,
					  const struct stn_message *message,
					  const struct stn_parts_wire *wire);

#endif
