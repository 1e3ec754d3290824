/* SPDX-License-Identifier: MIT */
/* Arming, its end, and the two stops. A lease is renewed as long as the main loop runs, arming ends
 * by itself when nothing moves, and both stops are sent in any state and lock arming for a while:
 * who has just stopped an arm does not arm it by the same hurried click (docs/protocol.md). */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/device/device_internal.h"

/* docs/protocol.md, LEASE: 300 ms are usual. A busy computer need not frighten an arm that can hurt
 * nobody. */
enum { LEASE_MS = 300, SIMULATED_LEASE_MS = 2000 };

bool ase_device_is_armed(AseDevice *self) {
  return self->state.state == AIO_DEVICE_ARMED;
}

static double seconds_until(gint64 time_us) {
  return fmax(0.0, 1e-6 * (double)(time_us - g_get_monotonic_time()));
}

double ase_device_armed_left_s(AseDevice *self) {
  if (!ase_device_is_armed(self))
    return 0.0;
  return seconds_until(self->moved_us + (gint64)(1e6 * self->options.idle_s));
}

char *ase_device_faults_text(AseDevice *self) {
  return aio_faults_text(self->state.faults, self->state.fault_joints);
}

double ase_device_lockout_s(AseDevice *self) {
  return seconds_until(self->locked_until_us);
}

static bool refuse(GError **error, const char *words) {
  aio_error_set_kept(error, AIO_ERROR_REFUSED, aio_said_word(words));
  return false;
}

guint ase_device_lease_ms(AseDevice *self) {
  if (self->options.lease_ms)
    return self->options.lease_ms;
  if (self->link == ASE_LINK_LOST)
    return self->lost_lease_ms;
  return self->description.capabilities & AIO_CAN_TEST ? SIMULATED_LEASE_MS : LEASE_MS;
}

bool ase_device_may_arm(AseDevice *self, GError **error) {
  if (self->link != ASE_LINK_READY)
    return refuse(error, N_("the controller is not connected; connect it first"));
  if (ase_device_is_silent(self))
    return refuse(error, N_("the controller has fallen silent; connect it again first"));
  if (self->clock) {
    aio_error_set_kept(error, AIO_ERROR_REFUSED, self->clock);
    return false;
  }
  if (self->description.is_read_only)
    return refuse(error,
                  N_("the controller speaks another version of the protocol: it can be read, "
                     "but not moved; update its firmware or this program"));
  if (ase_device_estop_is_open(self))
    return refuse(error, N_("the emergency stop chain is open; release the emergency stop button"));
  if (self->state.faults) {
    char *faults = aio_faults_said(self->state.faults, self->state.fault_joints);
    aio_error_set_said(error, AIO_ERROR_REFUSED, N_("a fault is latched (%s); clear it first"),
                       faults);
    g_free(faults);
    return false;
  }
  const double locked = ase_device_lockout_s(self);
  if (locked > 0.0) {
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       N_("the arm was stopped just now; arming is possible in %d s"),
                       (int)ceil(locked));
    return false;
  }
  const guint moving = ase_device_moving_joint(self);
  if (moving) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("joint %u moves though its drive is off; wait until the arm stands still, or "
           "support it"),
        moving);
    return false;
  }
  return true;
}

static void on_armed(const AioReply *reply, void *ctx) {
  AseDevice *self = ctx;
  if (reply->code)
    ase_device_stop_heartbeat(self);
  ase_device_on_reply(reply, ctx);
  if (reply->code && self->acquirer)
    ase_device_emit_refused(self, self->reason_line);
}

bool ase_device_arm(AseDevice *self, GError **error) {
  if (!ase_device_may_arm(self, error))
    return false;
  self->stopped_by = AIO_END_NONE;
  ase_device_set_reason(self, "");
  ase_device_start_heartbeat(self);
  const AioCommand arm = {.kind = AIO_COMMAND_ARM, .ttl_ms = ase_device_lease_ms(self)};
  aio_acquirer_send(self->acquirer, &arm, on_armed, self);
  return true;
}

void ase_device_disarm(AseDevice *self) {
  ase_device_send_plain(self, &(AioCommand){.kind = AIO_COMMAND_DISARM, .drives_off = false});
}

AioMotionEnd ase_device_stopped_by(AseDevice *self) {
  return self->stopped_by;
}

static void lock_out(AseDevice *self, AioMotionEnd stopped_by) {
  self->stopped_by = stopped_by;
  self->locked_until_us = g_get_monotonic_time() + (gint64)(1e6 * self->options.lockout_s);
}

void ase_device_halt(AseDevice *self) {
  lock_out(self, AIO_END_STOP);
  ase_device_send_plain(self, &(AioCommand){.kind = AIO_COMMAND_STOP});
  ase_device_send_plain(self, &(AioCommand){.kind = AIO_COMMAND_DISARM, .drives_off = false});
}

void ase_device_note_clock(AseDevice *self, const AioEvent *event) {
  g_free(self->clock);
  self->clock = event->value ? g_strdup(event->text) : NULL;
  if (self->clock && (ase_device_is_armed(self) || self->state.motion != AIO_MOTION_NONE))
    ase_device_halt(self);
}

void ase_device_power_off(AseDevice *self) {
  lock_out(self, AIO_END_KILL);
  ase_device_send_plain(self, &(AioCommand){.kind = AIO_COMMAND_KILL});
}
