/* SPDX-License-Identifier: MIT */
/* The controller's end of the cable: frames that wait for the host, and what spoils them. Times are
 * device time [us]. */
#ifndef ARMATURE_SIM_LINE_H
#define ARMATURE_SIM_LINE_H

#include <glib.h>
#include <stdbool.h>

typedef struct {
  GQueue frames; /* in the order in which they leave */
  gsize room, waiting;
  gint64 last_due_us;
  guint64 random;
} AsimLine;

/* What happens to a frame; all 0: nothing. */
typedef struct {
  gint32 bit_errors; /* bytes with one wrong bit, per million */
  gint32 drops;      /* frames lost, per million */
  gint32 delay_us;
} AsimSpoil;

void asim_line_init(AsimLine *line, gsize room, guint64 seed);
void asim_line_clear(AsimLine *line);

/* One whole frame, or nothing: false, when there is no room. A frame that the line loses was taken.
 */
bool asim_line_send(AsimLine *line, const guint8 *bytes, gsize n, gint64 now_us,
                    const AsimSpoil *spoil);

/* Moves at most `room` bytes that are due; returns how many. */
gsize asim_line_take(AsimLine *line, guint8 *bytes, gsize room, gint64 now_us);

#endif
