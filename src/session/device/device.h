/* SPDX-License-Identifier: MIT */
/* The arm controller as a session sees it: connected or not, armed or not, and its two stops.
 *
 * Arming is explicit, visible and expires: the arm is disarmed when it has not moved for a while.
 * While it is armed this object's heartbeat, a source of the main loop, allows the lease to be
 * renewed; a main loop that hangs for 200 ms therefore ends the lease, and the controller halts by
 * itself. Hold and Power off work in every state; after either, arming is locked for a while and
 * has to be done anew. Suspending the computer is inhibited while armed, where the system offers
 * it.
 *
 * Everything happens in the thread (and default main context) that made the object.
 *
 * Signals, all without return value:
 *   "changed"             connection, description, state or arming is different; silence, or a
 *                         motion with the drives off, begins or ends
 *   "event"  (AioEvent *) as the controller reported it
 *   "refused" (const char *why) the arm was not armed, though it was sent
 *   "chunk"  (AioChunk *) new samples, for display and for runs; a recorder has its own queue
 */
#ifndef ARMATURE_SESSION_DEVICE_H
#define ARMATURE_SESSION_DEVICE_H

#include <glib-object.h>
#include <stdbool.h>

#include "io/acquire/acquire.h"
#include "io/arm/arm_file.h"

#define ASE_TYPE_DEVICE (ase_device_get_type())
G_DECLARE_FINAL_TYPE(AseDevice, ase_device, ASE, DEVICE, GObject)

typedef enum {
  ASE_LINK_CLOSED,
  ASE_LINK_ASKING, /* open; what is there has not answered yet */
  ASE_LINK_READY,  /* described, telemetry runs */
  ASE_LINK_LOST,   /* the cable was pulled; trying to come back */
  ASE_LINK_FAILED  /* open, but nothing that answers; see the reason */
} AseLinkState;

typedef struct {
  double telemetry_hz; /* wanted, device time; default 100 */
  double idle_s;       /* an armed arm that does not move is disarmed after this; default 120 */
  /* How long the arm goes on when the computer falls silent. 0, the default: 300, or 2000 where the
   * controller says that it is a simulator, which hurts nobody on a computer that is busy. */
  guint lease_ms;
  double lockout_s;    /* no arming for this long after Hold or Power off; default 2 */
  double display_s;    /* > 0: a main loop may be busy for so long [s] before curves get a hole;
                          default 10 */
  const char *driver;  /* its name; NULL: what the arm file names, or who is answered */
  const AioArm *arm;   /* what drivers are told of; NULL: nothing. Only while it is opened */
  AioCapture *capture; /* of all bytes, taken over; NULL: none */
  AioLink *(*reopen)(void *ctx, GError **error); /* as AioAcquirerOptions */
  void *reopen_ctx;
} AseDeviceOptions;
void ase_device_options_default(AseDeviceOptions *options);

AseDevice *ase_device_new(void);

/* Takes over the link, asks who is there, starts telemetry; "changed" tells how it went. A device
 * that is open is closed first. false: what aio_acquirer_new, aio_driver_context_of and
 * aio_driver_choose report; the link is still the caller's. */
bool ase_device_open(AseDevice *device, AioLink *link, const AseDeviceOptions *options,
                     GError **error);

/* Halts and disarms an armed arm, waiting for the acknowledgement (at most a second), then closes.
 * The same happens when the last reference goes. */
void ase_device_close(AseDevice *device);

AseLinkState ase_device_link(AseDevice *device);
/* Why the link is lost or failed, or why the last command did not succeed; "" for no reason. One
 * line in the reader's language, and as a sentence of io/base/said. Until it changes. */
const char *ase_device_reason(AseDevice *device);
const char *ase_device_reason_said(AseDevice *device);

/* NULL while nothing is described. Valid until the next "changed". */
const AioDescription *ase_device_description(AseDevice *device);
/* The last known; all zero when not connected. */
const AioState *ase_device_state(AseDevice *device);
/* The same, but of a link that is lost what it was before; NULL: not known. */
const AioState *ase_device_last_state(AseDevice *device);
/* AIO_CAN_... of the controller; of a link that is lost, as it was before; 0: not known. */
guint32 ase_device_last_capabilities(AseDevice *device);
/* A link that is lost is opened again without being asked. */
bool ase_device_comes_back(AseDevice *device);
/* The emergency stop chain is open. Never of a controller that watches over none. */
bool ase_device_estop_is_open(AseDevice *device);
/* Connected, but no sample has come for more than a second: the state is the last known, what it is
 * now nobody knows. Commands are sent nevertheless. A main loop that is busy is not silence. */
bool ase_device_is_silent(AseDevice *device);
/* Samples have come and wait for the main loop. */
bool ase_device_has_waiting(AseDevice *device);
/* How often samples come, by the controller's clock, as it has granted [Hz]; 0: not known, none. */
double ase_device_telemetry_hz(AseDevice *device);
/* What somebody else sends on the line to the controller, as it was told within the last one and a
 * half minutes (it is told every minute), a sentence of io/base/said; NULL: nothing. Until the next
 * event. */
const char *ase_device_foreign(AseDevice *device);
void ase_device_statistics(AseDevice *device, AioStatistics *out);
/* Samples that came over this connection and did not reach "chunk", because the main loop was busy
 * for more than display_s, also where time is compressed: curves have a hole there. A recorder,
 * with a queue of its own, has them; what never came is AioStatistics.counters.samples_lost. 0 when
 * nothing is connected. */
guint64 ase_device_samples_not_shown(AseDevice *device);

/* Newest measured positions, one per joint of the description; false: no sample yet. */
bool ase_device_pose(AseDevice *device, double *q);
/* The same, but of a link that is lost, or of another connection, what was measured last; false:
 * never, or of an arm with another number of joints. */
bool ase_device_last_pose(AseDevice *device, guint joints, double *q);

/* Newest supply voltage [V] and motor temperature [degree Celsius], NAN when not measured. */
double ase_device_supply(AseDevice *device);
double ase_device_temperature(AseDevice *device, guint joint);

/* ---- motion ---- */

bool ase_device_is_armed(AseDevice *device);
/* Until the arm disarms itself if nothing moves; 0 when not armed. */
double ase_device_armed_left_s(AseDevice *device);
/* Until arming is possible again after Hold or Power off. */
double ase_device_lockout_s(AseDevice *device);

/* aio_faults_text of those that are latched. g_free. */
char *ase_device_faults_text(AseDevice *device);
/* How long an armed arm goes on when the computer falls silent; of a link that is lost, as it was
 * before. */
guint ase_device_lease_ms(AseDevice *device);

/* A joint (from 1) that moves though the drives are off, because the arm falls, swings or is led by
 * hand; it has come to rest when it stays within 0.3 deg, 0.5 mm for half a second. 0: none. */
guint ase_device_moving_joint(AseDevice *device);

/* false with AIO_ERROR_REFUSED and the remedy: not connected, read only, emergency stop chain open,
 * a fault is latched, locked out, a joint moves. */
bool ase_device_may_arm(AseDevice *device, GError **error);

/* false: as ase_device_may_arm. Success is told by "changed", refusal of the controller by
 * "refused" (see also ase_device_reason). A session arms by ase_session_begin_arming, which asks
 * for more. */
bool ase_device_arm(AseDevice *device, GError **error);

/* Ends the arming, the arm halts. */
void ase_device_disarm(AseDevice *device);

/* In any state, from anywhere. The arm decelerates, stands still under its drives, and is no longer
 * armed. */
void ase_device_halt(AseDevice *device);

/* Drives off: the arm may fall. */
void ase_device_power_off(AseDevice *device);

/* Which of the two was used since the arm was last armed: STOP, KILL; NONE: neither. */
AioMotionEnd ase_device_stopped_by(AseDevice *device);

/* Clears the latched faults that state() shows; the user has seen them. Within the lock-out, of the
 * controller or after Hold and Power off, it waits for its end and clears then. */
void ase_device_clear_faults(AseDevice *device);
/* How long it would wait now [s]; 0: not at all, or nothing is latched. */
double ase_device_clear_wait_s(AseDevice *device);
/* Asked for, and not yet done or given up. */
bool ase_device_is_clearing(AseDevice *device);

/* Any other command; `done` as in aio_acquirer_send, it also gets an answer when nothing is
 * connected. The object must outlive the answer: hold a reference. */
void ase_device_send(AseDevice *device, const AioCommand *command, AioReplyFunc done, void *ctx);

/* Chunks also go to this queue, over reconnections too, until it is removed. false: too many. */
bool ase_device_add_queue(AseDevice *device, AioQueue *queue);
void ase_device_remove_queue(AseDevice *device, AioQueue *queue);

#endif
