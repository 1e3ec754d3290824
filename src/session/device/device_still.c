/* SPDX-License-Identifier: MIT */
/* Does the arm stand still while its drives are off? One without brakes falls and swings then. What
 * is switched on amid a swing is caught where it happens to be: the controller reports that a joint
 * does not follow, or the first leg finds joints elsewhere than they were when it began. */
#include <math.h>

#include "session/device/device_internal.h"

/* Chosen: a swing of a degree leaves this way within the time, wherever it turns; what sinks more
 * slowly than 0.6 deg/s, 1 mm/s is caught without notice. */
#define WAY_R   0.005
#define WAY_T   0.0005
#define STILL_S 0.5

static bool is_elsewhere(const AseDevice *self, guint j, double q) {
  const bool is_T = j < self->description.joints && self->description.joint[j].type == ARM_JOINT_T;
  return !(fabs(q - self->still_q[j]) <= (is_T ? WAY_T : WAY_R));
}

static void note(AseDevice *self, guint64 t_us, const double *q, guint joints) {
  const bool is_first = !self->has_still || t_us < self->still_seen_us || joints != self->still_n;
  guint joint = 0;
  for (guint j = 0; !is_first && !joint && j < joints; j++)
    if (is_elsewhere(self, j, q[j]))
      joint = j + 1;
  self->still_seen_us = t_us;
  if (!is_first && !joint)
    return;
  memcpy(self->still_q, q, joints * sizeof *q);
  self->has_still = true;
  self->still_n = joints;
  self->still_joint = joint;
  self->still_from_us = t_us;
}

void ase_device_note_still(AseDevice *self, const AioChunk *chunk) {
  for (guint k = 0; k < chunk->n; k++)
    note(self, chunk->t_us[k], chunk->q + (gsize)k * chunk->joints, chunk->joints);
}

guint ase_device_moving_joint(AseDevice *self) {
  const bool is_loose = self->link == ASE_LINK_READY && self->state.state == AIO_DEVICE_OFF;
  const double still_s = 1e-6 * (double)(self->still_seen_us - self->still_from_us);
  return is_loose && self->has_still && still_s < STILL_S ? self->still_joint : 0;
}
