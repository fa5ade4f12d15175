/*
 * agent.h: who starts a run's nodes on another host than the launcher's, and
 * speaks with the launcher through ssh; control.h has the words.
 */
#ifndef STN_STEAL_LAUNCH_AGENT_H
#define STN_STEAL_LAUNCH_AGENT_H

/*
 * stn_agent: `sateen agent [PER]`: an agent's life. No node of it is left when
 * it returns the process's exit status.
 */
int stn_agent(int argc, char **argv);

#endif
