/* SPDX-License-Identifier: MIT */
#include "session/measure/sound.h"

#include <math.h>

#include "session/measure/settle.h"

#define GAP_US  50000 /* five samples at a session's 100 Hz, as ARM_FILTER_GAP_STEPS */
#define CLIPPED 0.99  /* of the current limit: the servo had no current left to follow with */
#define UP      0.95  /* part of the commanded speed that ends a ramp */

AseSampleUse ase_sound_of_sample(const ArmModel *model, const AseRun *run, guint16 flags,
                                 double current) {
  const guint16 needed = AIO_SAMPLE_DRIVES_ON | AIO_SAMPLE_ARMED;
  if (flags & AIO_SAMPLE_FAULT || (flags & needed) != needed)
    return ASE_SAMPLE_FAULT;
  const double most = model->joints[run->joint - 1].limits.current_max;
  return fabs(current) >= CLIPPED * most ? ASE_SAMPLE_CLIPPED : ASE_SAMPLE_USED;
}

/* Rows within GAP_US of the gap before `row`. */
static void mark_gap(const double *t, gsize row, gsize rows, guint8 *sound) {
  const double margin = 1e-6 * GAP_US, before = row > 0 ? t[row - 1] : t[row];
  for (gsize k = row; k < rows && t[k] - t[row] < margin; k++)
    sound[k] = sound[k] == ASE_SAMPLE_FAULT ? ASE_SAMPLE_FAULT : ASE_SAMPLE_GAP;
  for (gsize k = row; k-- > 0 && before - t[k] < margin;)
    sound[k] = sound[k] == ASE_SAMPLE_FAULT ? ASE_SAMPLE_FAULT : ASE_SAMPLE_GAP;
}

/* One pass, [first, end): what is used lies between the time at which the joint was up to speed and
 * had settled, and the time at which it began to brake. */
static void mark_pass(const AseRun *run, const double *t, const double *qd, gsize first, gsize end,
                      guint8 *sound) {
  gsize up = first, down = end;
  while (up < end && fabs(qd[up]) < UP * run->speed)
    up++;
  while (down > up && fabs(qd[down - 1]) < UP * run->speed)
    down--;
  for (gsize k = first; k < end; k++) {
    const bool is_settled =
        k >= up && k < down && t[k] - t[up] >= ASE_SETTLE_S && t[down - 1] - t[k] >= ASE_BRAKE_S;
    if (sound[k] == ASE_SAMPLE_USED && !is_settled)
      sound[k] = ASE_SAMPLE_NOT_SETTLED;
  }
}

static void mark_ramps(const AseRun *run, const double *t, const double *qd, gsize rows,
                       guint8 *sound) {
  int direction = 0;
  gsize begin = 0;
  for (gsize k = 0; k < rows; k++) {
    const int now = qd[k] > 0.5 * run->speed ? 1 : qd[k] < -0.5 * run->speed ? -1 : 0;
    if (now == 0 || now == direction)
      continue;
    mark_pass(run, t, qd, begin, k, sound);
    begin = k;
    direction = now;
  }
  mark_pass(run, t, qd, begin, rows, sound);
}

void ase_sound_of_run(const AseRun *run, const double *t, const double *qd, gsize rows,
                      const GArray *gaps, guint8 *sound) {
  if (!run->is_imported)
    mark_ramps(run, t, qd, rows, sound);
  for (guint k = 0; k < gaps->len; k++)
    mark_gap(t, g_array_index(gaps, gsize, k), rows, sound);
}

bool ase_sound_is_excluded(AseSampleUse sound, gint64 run, double q, double qd,
                           const GArray *exclusions) {
  if (sound != ASE_SAMPLE_USED && sound != ASE_SAMPLE_NOT_SETTLED)
    return false;
  for (guint k = 0; exclusions && k < exclusions->len; k++) {
    const AseExclusion *e = &g_array_index(exclusions, AseExclusion, k);
    if (e->run == run && q >= e->q_low && q <= e->q_high && e->direction * qd >= 0.0)
      return true;
  }
  return false;
}
