/* SPDX-License-Identifier: MIT */
/* A simulated arm controller: the device side of the wire protocol (src/wire/device.h, as firmware
 * would use it) on the core's plant. No file descriptor, no clock, no thread: whoever owns it
 * brings bytes and time and takes bytes away, so that a test is exact and repeatable. See
 * sim/loop.h for a pty or socket in real or compressed time.
 *
 * The control tick is 1 ms of device time; telemetry can be as fast. Encoders and currents are
 * sampled in every tick; speeds are those of the servo, the difference over its own sample time.
 */
#ifndef ARMATURE_SIM_CONTROLLER_H
#define ARMATURE_SIM_CONTROLLER_H

#include <glib.h>
#include <stdbool.h>

#include "core/plant/plant.h"
#include "sim/fault.h"
#include "sim/truth.h"
#include "wire/message.h"

typedef struct AsimController AsimController;

enum { ASIM_LINE_ROOM = 65536 }; /* a usual line_room */

typedef struct {
  const AsimTruth *truth; /* arm, plant, what it is called; copied */
  guint64 seed;           /* noise, bit errors, tokens */
  double time_factor;     /* device time per wall time, >= 1; announced in HELLO in thousandths */
  const char *storage;    /* file that survives for parameters and boot count; NULL: in memory */
  guint line_room;        /* bytes that may wait for the host; frames beyond are dropped */
  guint32 first_t_us;     /* device clock at start, to test the wrap */
  /* What its samples are stamped with, of the time since it was switched on: to test hosts with a
   * clock that is wrong. NULL: first_t_us + now_us, as all the rest. */
  guint32 (*stamp)(guint64 now_us);
  bool is_minor_0; /* speaks protocol 1.0, as older firmware does: to test hosts */
} AsimOptions;

/* NULL with AIO_ERROR_REFUSED: the truth cannot be simulated; or the errors of asim_storage_open.
 * Switched on, drives off. */
AsimController *asim_controller_new(const AsimOptions *options, GError **error);
void asim_controller_free(AsimController *controller);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AsimController, asim_controller_free)

/* Bytes from the host. */
void asim_controller_receive(AsimController *controller, const guint8 *bytes, gsize n);
void asim_controller_line_break(AsimController *controller);

/* Wall time passes: the device ticks once per control period, the plant with it. */
void asim_controller_advance(AsimController *controller, gint64 wall_us);

/* Bytes for the host; taken bytes leave the line. */
gsize asim_controller_take(AsimController *controller, guint8 *bytes, gsize room);

/* Plants a fault as the protocol's TEST message does (docs/protocol.md section 8): false, when its
 * kind, joint or value has no meaning, or too many wait. */
bool asim_controller_test(AsimController *controller, const WireTest *test);

/* The same at a time to come. */
bool asim_controller_plan_fault(AsimController *controller, const AsimFault *fault);

/* The cable was pulled by a fault: the owner closes the line, and plugs it in again after the
 * fault's duration (0: stays out). */
bool asim_controller_is_unplugged(const AsimController *controller);

/* Device time since power-up [us]. */
gint64 asim_controller_device_us(const AsimController *controller);

/* The plant, to read the truth in tests. Borrowed. */
const ArmPlant *asim_controller_plant(const AsimController *controller);

#endif
