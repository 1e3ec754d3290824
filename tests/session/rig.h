/* SPDX-License-Identifier: MIT */
/* A session's device with a simulated controller inside the process, in compressed time, and a main
 * loop to wait in. */
#ifndef ARMATURE_TESTS_SESSION_RIG_H
#define ARMATURE_TESTS_SESSION_RIG_H

#include <glib.h>
#include <stdbool.h>

#include "session/device/device.h"
#include "sim/loop.h"

typedef struct {
  AsimTruth truth;
  AsimLoop *loop;
  AseDevice *device;
} Rig;

/* A lease that a busy machine does not lose, the longest that the simulator gives; and one that
 * only programs have that run alone. */
enum { RIG_LEASE_MS = 2000, RIG_SHORT_LEASE_MS = 300 };

/* data/robots/NAME.arm.json; connected and described. Failures are failures of the test. */
void rig_init(Rig *rig, const char *name, double time_factor, guint lease_ms);
/* The same; its main loop may be busy for display_s before samples are not shown; 0: the default.
 */
void rig_init_display(Rig *rig, const char *name, double time_factor, guint lease_ms,
                      double display_s);
void rig_clear(Rig *rig);
/* The same device with another controller, at the other end of fd, which is taken over. */
void rig_open(Rig *rig, int fd, guint lease_ms);

/* Runs the main loop until the condition holds. `seconds` is what an idle computer needs at most;
 * false after several times that, and not before a minute. */
bool rig_wait(bool (*is_met)(void *data), void *data, double seconds);
/* False after the time, for what is tried again. */
bool rig_try(bool (*is_met)(void *data), void *data, double seconds);
void rig_pass(double seconds);

/* What a controller tells comes later than what it did, and later still on a busy computer. */
void rig_until_ready(AseDevice *device);
void rig_until_disarmed(AseDevice *device);
void rig_until_unlocked(AseDevice *device); /* the device's lock-out after Hold */
/* Asks again until the controller's lock-out is over. */
void rig_clear_faults(AseDevice *device);

/* The main loop hangs until the controller's clock has gone on by so much: a simulated one that
 * does not get its time takes longer. Telemetry comes at 100 Hz. */
void rig_hang(AseDevice *device, double device_s);

/* An arm without brakes falls when its drives are off, and is armed only at rest. */
void rig_until_still(AseDevice *device);
void rig_arm(Rig *rig);
/* Plants a fault (docs/protocol.md, TEST). */
void rig_test(Rig *rig, guint kind, guint joint, gint32 value, guint32 duration_ms);

#endif
