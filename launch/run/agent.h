/*
 * agent.h: the agent starts nodes on one host. The launcher starts the agent
 * through ssh and exchanges frames with it (agent_protocol.h).
 */
#ifndef STN_LAUNCH_RUN_AGENT_H
#define STN_LAUNCH_RUN_AGENT_H

/*
 * stn_agent: runs the command `sateen agent [PER]`. Returns the exit status of
 * the process when all nodes of the agent have ended.
 */
int stn_agent(int argc, char **argv);

#endif
