/* SPDX-License-Identifier: MIT */
/* The whole chain: armature-sim as a program of its own, a pty, libserialport, the native driver,
 * the acquirer, a session's device and runner; joint 2 of the planar arm sweeps. */
#ifndef ARMATURE_TESTS_FAULTS_CHAIN_H
#define ARMATURE_TESTS_FAULTS_CHAIN_H

#include "../session/rig.h"
#include "session/measure/runner.h"
#include "support/sim_process.h"

enum { CHAIN_HZ = 1000, CHAIN_PERIOD_US = 1000000 / CHAIN_HZ };

typedef struct {
  Rig rig; /* device and truth; nothing runs inside */
  char *folder, *port, *storage;
  const char *fault; /* of the command line, or NULL */
  double speed;
  SimProcess sim; /* not running: no power */
  AseFreedom freedom;
  ArmPlan plan;
  AseItineraryOptions options;
  AseItinerary *itinerary;
  AseRunner *runner;
  GArray *events; /* of AioEvent */
  bool has_stopped, is_done;
  char *reason;
  double qd;              /* newest of joint 2 */
  guint64 samples;        /* that came */
  AseDeviceOptions opens; /* as the device was opened */
} Chain;

/* Of main: the program to start. */
void chain_begin(const char *armature_sim);

/* Powered, connected and described. `wrap` puts another link around that of the port, each time it
 * is opened; NULL: as it is. Failures are failures of the test. */
Chain *chain_new(const char *fault, double speed, AioCapture *capture,
                 AioLink *(*wrap)(AioLink *link, Chain *chain));
void chain_free(Chain *chain);

/* The simulator alone; and a device and runner at the port of somebody else's, with a short lease.
 */
Chain *chain_new_power(void);
Chain *chain_new_at(const char *port);

/* The plug of the controller is pulled, at any byte; from any thread. */
void chain_power_off(Chain *chain);
/* Waits for the end of what was switched off. */
void chain_power_on(Chain *chain);

void chain_wait_ready(Chain *chain);
/* Armed, and joint 2 in the middle of its first sweep. */
void chain_sweep(Chain *chain);
/* The runner has stopped for this reason. */
void chain_expect_stop(Chain *chain, const char *reason);
/* The command, answered. Free with aio_reply_free. */
AioReply *chain_run(Chain *chain, const AioCommand *command);
/* The newest event of a kind, NULL: none. */
const AioEvent *chain_event(const Chain *chain, AioEventKind kind);
void chain_expect_state(Chain *chain, AioDeviceState state, bool drives_on, guint32 faults);

/* The rows of the last run. */
typedef struct {
  guint64 n, missing; /* missing: between the first and the last */
  guint64 first_us, last_us;
  gint64 last_ns; /* on the host's clock */
} ChainRows;
ChainRows chain_rows(const Chain *chain);

#endif
