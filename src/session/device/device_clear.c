/* SPDX-License-Identifier: MIT */
/* Clearing of latched faults. The controller refuses it for half a second after the last fault, the
 * device after Hold and Power off for longer: who asks within that need not ask again. */
#include <math.h>

#include "session/device/device_internal.h"

/* docs/protocol.md: CLEAR 500 ms after the last fault; faults that go on are tried for twice
 * that. */
enum { LOCKOUT_US = 500000, AGAIN_MS = 300, ATTEMPTS = 4 };

static void try_clear(AseDevice *self);

void ase_device_note_lockout(AseDevice *self, guint ms) {
  self->clear_from_us = g_get_monotonic_time() + (gint64)ms * 1000;
}

void ase_device_note_fault(AseDevice *self) {
  ase_device_note_lockout(self, LOCKOUT_US / 1000);
}

void ase_device_stop_clearing(AseDevice *self) {
  if (self->clearing) {
    g_source_destroy(self->clearing);
    g_clear_pointer(&self->clearing, g_source_unref);
  }
  self->attempts = 0;
}

bool ase_device_is_clearing(AseDevice *self) {
  return self->attempts > 0;
}

double ase_device_clear_wait_s(AseDevice *self) {
  const double own = 1e-6 * (double)(self->clear_from_us - g_get_monotonic_time());
  return self->state.faults ? fmax(fmax(0.0, own), ase_device_lockout_s(self)) : 0.0;
}

static gboolean on_due(gpointer data) {
  AseDevice *self = data;
  g_clear_pointer(&self->clearing, g_source_unref);
  try_clear(self);
  return G_SOURCE_REMOVE;
}

static void try_later(AseDevice *self, guint ms) {
  self->clearing = g_timeout_source_new(ms);
  g_source_set_callback(self->clearing, on_due, self, NULL);
  g_source_attach(self->clearing, g_main_context_get_thread_default());
}

/* Its clock and ours differ a little: refused, it is asked again, and not for ever, as what lasts
 * is refused too. */
static void on_cleared(const AioReply *reply, void *ctx) {
  AseDevice *self = ctx;
  const bool is_refused = reply->code == AIO_REPLY_CODE(AIO_ERROR_DEVICE);
  if (self->attempts && is_refused && self->attempts < ATTEMPTS && !self->clearing) {
    try_later(self, AGAIN_MS);
    return;
  }
  ase_device_stop_clearing(self);
  ase_device_on_reply(reply, ctx);
}

static void try_clear(AseDevice *self) {
  const AioCommand clear = {.kind = AIO_COMMAND_CLEAR, .faults = self->faults_seen};
  if (!self->acquirer || !self->state.faults) {
    ase_device_stop_clearing(self);
    return;
  }
  self->attempts++;
  aio_acquirer_send(self->acquirer, &clear, on_cleared, self);
}

void ase_device_clear_faults(AseDevice *self) {
  const double wait_s = ase_device_clear_wait_s(self);
  ase_device_stop_clearing(self);
  self->faults_seen = self->state.faults;
  if (wait_s > 0.0) {
    self->attempts = 1;
    try_later(self, (guint)ceil(1000.0 * wait_s));
  } else {
    try_clear(self);
  }
}
