/* SPDX-License-Identifier: MIT */
/* armature-sim as a program of its own, on a pty. */
#ifndef ARMATURE_TESTS_SIM_PROCESS_H
#define ARMATURE_TESTS_SIM_PROCESS_H

#include <gio/gio.h>
#include <stdbool.h>

typedef struct {
  GSubprocess *process; /* NULL: does not run */
  char *port;           /* path of its pty, or the link to it */
} SimProcess;

/* The program and its options, NULL at the end; waits until its line is there. false: it cannot be
 * started, or ended without a line. */
bool sim_process_start(SimProcess *sim, const char *const *argv, GError **error);

/* At any byte, as if the plug were pulled; from any thread. */
void sim_process_kill(const SimProcess *sim);

/* Kills it and waits for its end. Also all zero. */
void sim_process_stop(SimProcess *sim);

#endif
