/* SPDX-License-Identifier: MIT */
/* Runs a simulated controller against the clock, at the other end of a file descriptor: for a pty
 * in the caller's thread, for a program that wants a controller inside itself in a thread of its
 * own.
 *
 * The clock is followed without drift. A host that does not read never delays the controller: its
 * line is full then, and frames are dropped. Time that the simulator cannot compute in time, or
 * did not get from the system, does not pass (it slips); this is counted. */
#ifndef ARMATURE_SIM_LOOP_H
#define ARMATURE_SIM_LOOP_H

#include <glib.h>
#include <stdbool.h>

#include "sim/controller.h"

/* Who has the other end of the cable. Functions are called from the thread that runs the loop. */
typedef struct {
  /* The cable that is to be used from now on: `fd`, the one in use (-1: none), another open
   * non-blocking descriptor, or -1 for none now. Asked again and again, not while a fault holds it
   * out. */
  int (*plug)(void *ctx, int fd);
  /* The cable was pulled or replaced, or the host hung up: closes the descriptor. */
  void (*unplug)(void *ctx, int fd);
  bool (*should_stop)(void *ctx); /* asked at least every 2 ms */
  void *ctx;
} AsimCable;

typedef struct {
  double wall_s, device_s; /* passed; device_s is wall_s times the factor, less what slipped */
  double slipped_s;        /* of wall time */
} AsimLoopReport;

/* Returns when should_stop says so; the cable is then unplugged. report may be NULL. */
void asim_loop_run(AsimController *controller, const AsimCable *cable, AsimLoopReport *report);

/* ---- in a thread ---- */

typedef struct AsimLoop AsimLoop;

/* Takes the controller over and runs it. *host_fd is the host's end of a stream socket, the
 * caller's to close. NULL: AIO_ERROR_IO; the controller is then still the caller's. */
AsimLoop *asim_loop_start(AsimController *controller, int *host_fd, GError **error);

/* Plugs in again, after an unplug fault or after the host closed its end: a new host's end, the
 * caller's to close; the one before is dead. -1: AIO_ERROR_GONE (the fault still holds the cable
 * out), AIO_ERROR_IO. From any thread. */
int asim_loop_connect(AsimLoop *loop, GError **error);

/* Ends the thread, frees the controller. NULL allowed. */
void asim_loop_stop(AsimLoop *loop);
/* The same with the report of the whole run; neither may be NULL. */
void asim_loop_stop_report(AsimLoop *loop, AsimLoopReport *report);

#endif
