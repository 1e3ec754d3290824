/* SPDX-License-Identifier: MIT */
#include "sim/line.h"

#include <string.h>

#include "core/base/random.h"

typedef struct {
  gint64 due_us;
  gsize n, taken;
  guint8 bytes[];
} Frame;

void asim_line_init(AsimLine *line, gsize room, guint64 seed) {
  *line = (AsimLine){.room = room, .random = seed};
  g_queue_init(&line->frames);
}

void asim_line_clear(AsimLine *line) {
  g_queue_clear_full(&line->frames, g_free);
  line->waiting = 0;
}

static bool happens(AsimLine *line, gint32 per_million) {
  return per_million > 0 && arm_random_uniform(&line->random, 0.0, 1e6) < per_million;
}

bool asim_line_send(AsimLine *line, const guint8 *bytes, gsize n, gint64 now_us,
                    const AsimSpoil *spoil) {
  if (n > line->room - line->waiting)
    return false;
  if (happens(line, spoil->drops))
    return true;
  Frame *frame = g_malloc(sizeof *frame + n);
  frame->n = n;
  frame->taken = 0;
  memcpy(frame->bytes, bytes, n);
  for (gsize k = 0; k < n; k++)
    if (happens(line, spoil->bit_errors))
      frame->bytes[k] ^= (guint8)(1u << (arm_random_next(&line->random) % 8));
  line->last_due_us = MAX(line->last_due_us, now_us + spoil->delay_us); /* none overtakes */
  frame->due_us = line->last_due_us;
  g_queue_push_tail(&line->frames, frame);
  line->waiting += n;
  return true;
}

gsize asim_line_take(AsimLine *line, guint8 *bytes, gsize room, gint64 now_us) {
  gsize n = 0;
  for (Frame *frame; n < room && (frame = g_queue_peek_head(&line->frames)) != NULL;) {
    if (frame->due_us > now_us)
      break;
    const gsize part = MIN(room - n, frame->n - frame->taken);
    memcpy(bytes + n, frame->bytes + frame->taken, part);
    frame->taken += part;
    n += part;
    if (frame->taken == frame->n)
      g_free(g_queue_pop_head(&line->frames));
  }
  line->waiting -= n;
  return n;
}
