/* SPDX-License-Identifier: MIT */
/* What an arm at rest sends waits in a ring: written when something begins or happens, left out and
 * marked when it is old. */
#include <glib/gi18n-lib.h>

#include "io/base/said.h"
#include "io/json/json_write.h"
#include "io/store/recorder_internal.h"

enum { RING_BYTES = 32 << 20, REST_US = 1000000 };
#define HEALTH_NS (60 * G_GINT64_CONSTANT(1000000000)) /* one of these stays in the file */

/* ---- the mark ---- */

typedef struct {
  AioIdle idle;
} Mark;

static bool write_mark(AioStore *store, gconstpointer data, GError **error) {
  const AioIdle *idle = &((const Mark *)data)->idle;
  const double seconds = 1e-9 * (double)(idle->last_ns - idle->first_ns);
  char *said =
      aio_said(N_("idle: %zu samples in %.1f s were not recorded"), (gsize)idle->samples, seconds);
  GString *detail = g_string_new(NULL);
  AioJsonWriter *json = aio_json_writer_new(detail);
  aio_json_write_begin_flat_object(json);
  aio_json_put_int(json, "samples", (gint64)idle->samples);
  aio_json_put_int(json, "lost", (gint64)idle->lost);
  aio_json_put_number(json, "seconds", seconds);
  aio_json_write_end_object(json);
  aio_json_writer_free(json);
  const AioStoreEvent row = {.connection = idle->connection,
                             .t_host_ns = idle->first_ns,
                             .t_us = idle->first_us,
                             .kind = "idle",
                             .value = (gint64)idle->samples,
                             .text = said,
                             .detail = detail->str};
  const bool is_added = aio_store_add_event(store, &row, error);
  g_string_free(detail, TRUE);
  g_free(said);
  return is_added;
}

/* ---- the ring ---- */

/* A chunk that gets old. */
static void leave_out(AioRecorder *r, AioItem *item) {
  AioIdle *idle = &r->idle;
  if (!idle->samples) {
    idle->connection = r->connection;
    idle->first_ns = item->t_ns;
    idle->first_us = item->t_us;
  }
  idle->last_ns = item->t_ns;
  idle->samples += item->samples;
  idle->lost += item->lost;
  g_mutex_lock(&r->lock);
  r->status.samples_idle += item->samples;
  g_mutex_unlock(&r->lock);
  aio_item_free(item);
}

void aio_recorder_rest(AioRecorder *r, AioItem *item) {
  g_queue_push_tail(&r->ring, item);
  r->ring_bytes += item->cost;
  for (AioItem *oldest; (oldest = g_queue_peek_head(&r->ring)) &&
                        (oldest->t_ns < item->t_ns - r->idle_ns || r->ring_bytes > RING_BYTES);) {
    g_queue_pop_head(&r->ring);
    r->ring_bytes -= oldest->cost;
    leave_out(r, oldest);
  }
}

void aio_recorder_wake(AioRecorder *r) {
  if (r->idle.samples) {
    const Mark mark = {r->idle};
    const AioItem item = {.kind = AIO_ITEM_ADD,
                          .write = write_mark,
                          .data = g_memdup2(&mark, sizeof mark),
                          .free = g_free,
                          .cost = sizeof item + sizeof mark};
    aio_recorder_admit(r, g_memdup2(&item, sizeof item));
  }
  r->idle = (AioIdle){.samples = 0};
  for (AioItem *item; (item = g_queue_pop_head(&r->ring));)
    aio_recorder_admit(r, item);
  r->ring_bytes = 0;
}

/* ---- what wakes it ---- */

static bool is_moving(const AioChunk *chunk) {
  bool is_moving = false;
  for (guint k = 0; k < chunk->n; k++)
    is_moving |= chunk->motion[k] || chunk->joint[k] || chunk->flags[k] & AIO_SAMPLE_ARMED;
  return is_moving;
}

void aio_recorder_watch_motion(AioRecorder *r, const AioChunk *chunk) {
  for (guint k = 0; k < chunk->n; k++)
    if (chunk->motion[k]) {
      r->moved_us = g_get_monotonic_time();
      return;
    }
}

bool aio_recorder_is_resting(const AioRecorder *r) {
  return !r->run && g_get_monotonic_time() - r->moved_us >= REST_US;
}

void aio_recorder_note(AioRecorder *r, gint64 t_ns) {
  const gint64 now_ns = MAX(r->newest_ns, t_ns);
  if (now_ns > 0)
    r->keep_until_ns = now_ns + r->idle_ns;
  aio_recorder_wake(r);
}

bool aio_recorder_wants_chunk(AioRecorder *r, const AioChunk *chunk) {
  if (!r->idle_ns)
    return true;
  r->newest_ns = chunk->t_host_ns[chunk->n - 1];
  if (r->run || is_moving(chunk))
    aio_recorder_note(r, r->newest_ns);
  if (chunk->t_host_ns[0] > r->keep_until_ns)
    return false;
  aio_recorder_wake(r); /* nothing, unless the clock went back */
  return true;
}

bool aio_recorder_wants_event(AioRecorder *r, const AioEvent *event) {
  if (!r->idle_ns)
    return true;
  if (event->kind != AIO_EVENT_HEALTH) {
    aio_recorder_note(r, event->t_host_ns);
    return true;
  }
  if (r->newest_ns > r->keep_until_ns && event->t_host_ns < r->health_ns + HEALTH_NS)
    return false;
  r->health_ns = event->t_host_ns;
  return true;
}
