/* SPDX-License-Identifier: MIT */
/* Is the controller heard, and is this program alone on the line? What begins and ends with time is
 * looked for here. */
#include "session/device/device_internal.h"

/* Chosen: fifty chunks of 20 ms that have not come, and still no longer than one looks away. */
enum { SILENT_US = G_USEC_PER_SEC, LOOK_MS = 100 };
#define FOREIGN_RECENT_US (90 * G_USEC_PER_SEC) /* it is told every minute */

bool ase_device_has_waiting(AseDevice *self) {
  AioQueueCounters waiting = {.depth = 0};
  if (self->display)
    aio_queue_counters(self->display, &waiting);
  return waiting.depth > 0;
}

/* What came while the main loop was busy has been heard. */
bool ase_device_is_silent(AseDevice *self) {
  return self->link == ASE_LINK_READY && g_get_monotonic_time() - self->heard_us > SILENT_US &&
         !ase_device_has_waiting(self);
}

double ase_device_telemetry_hz(AseDevice *self) {
  return self->telemetry_hz;
}

/* Silence is time that passes, and so is rest: no event tells of them. */
static gboolean on_look(gpointer data) {
  AseDevice *self = data;
  const bool is_silent = ase_device_is_silent(self);
  const guint moving = ase_device_moving_joint(self);
  if (is_silent == self->was_silent && moving == self->was_moving)
    return G_SOURCE_CONTINUE;
  self->was_silent = is_silent;
  self->was_moving = moving;
  ase_device_emit_changed(self);
  return G_SOURCE_CONTINUE;
}

void ase_device_watch_silence(AseDevice *self) {
  self->was_silent = false;
  self->was_moving = 0;
  self->silence = g_timeout_source_new(LOOK_MS);
  g_source_set_callback(self->silence, on_look, self, NULL);
  g_source_attach(self->silence, g_main_context_get_thread_default());
}

void ase_device_unwatch_silence(AseDevice *self) {
  g_source_destroy(self->silence);
  g_clear_pointer(&self->silence, g_source_unref);
}

void ase_device_note_foreign(AseDevice *self, const AioEvent *event) {
  g_free(self->foreign);
  self->foreign = g_strdup(event->text);
  self->foreign_us = g_get_monotonic_time();
}

const char *ase_device_foreign(AseDevice *self) {
  const bool is_recent = g_get_monotonic_time() - self->foreign_us < FOREIGN_RECENT_US;
  return is_recent ? self->foreign : NULL;
}
