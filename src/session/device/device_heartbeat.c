/* SPDX-License-Identifier: MIT */
/* While the arm is armed this program says that it is alive, and disarms it when nothing has moved
 * for long. A source of the main loop: one that hangs lets the lease go. */
#include <glib/gi18n-lib.h>

#include "io/base/said.h"
#include "session/device/device_internal.h"

/* Four beats within the 200 ms after which the reader lets the lease go (io/acquire/acquire.h). */
enum { HEARTBEAT_MS = 50 };

void ase_device_stop_heartbeat(AseDevice *self) {
  if (!self->heartbeat)
    return;
  g_source_destroy(self->heartbeat);
  g_clear_pointer(&self->heartbeat, g_source_unref);
  g_clear_pointer(&self->inhibit, ase_inhibit_free);
}

static gboolean on_heartbeat(gpointer data) {
  AseDevice *self = data;
  const gint64 now = g_get_monotonic_time();
  if (self->state.motion != AIO_MOTION_NONE)
    self->moved_us = now;
  if ((double)(now - self->moved_us) > 1e6 * self->options.idle_s) {
    ase_device_set_reason(self, aio_said_word(N_("disarmed, because nothing moved for some time")));
    ase_device_disarm(self);
    return G_SOURCE_REMOVE;
  }
  aio_acquirer_keep_alive(self->acquirer);
  return G_SOURCE_CONTINUE;
}

void ase_device_start_heartbeat(AseDevice *self) {
  ase_device_stop_heartbeat(self);
  self->moved_us = g_get_monotonic_time();
  self->heartbeat = g_timeout_source_new(HEARTBEAT_MS);
  g_source_set_callback(self->heartbeat, on_heartbeat, self, NULL);
  g_source_attach(self->heartbeat, g_main_context_get_thread_default());
}
