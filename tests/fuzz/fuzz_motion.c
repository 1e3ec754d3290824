/* SPDX-License-Identifier: MIT */
/* A motion of an arm of three joints (R, R, T), from any bytes. What is read must be whole and come
 * back from its own text; what is said to be followed must be within the limits, at rest at its
 * ends, and near the file. */
#include <glib.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/recording/motion_follow.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool claim) {
  if (!claim)
    abort();
}

static void check_whole(const AioMotionTable *m) {
  require(m->n == 3 && m->rows >= 3);
  for (gsize k = 0; k < m->rows * m->n; k++)
    require(isfinite(m->q[k]) && !isnan(m->qd[k]) && !isnan(m->qdd[k]));
  for (gsize row = 1; row < m->rows; row++)
    require(m->t[row] > m->t[row - 1] && m->line[row] > m->line[row - 1]);
}

static void check_round_trip(const AioMotionTable *m, const ArmModel *arm) {
  GString *text = aio_motion_to_csv(m, arm);
  AioMotionTable *again = aio_motion_load_bytes("again", text->str, text->len, arm, NULL);
  require(again && again->rows == m->rows);
  for (gsize k = 0; k < m->rows * m->n; k++)
    require(again->q[k] == m->q[k]);
  aio_motion_free(again);
  g_string_free(text, TRUE);
}

static void check_followed(const AioMotionTable *m, const ArmMotionLimits *limits,
                           const ArmCubics *cubics, double slowness) {
  ArmMotionViolation found[9];
  double q[3], qd[3], apart[3];
  require(arm_cubics_violations(limits, cubics, found) == 0);
  require(slowness >= 1.0 && slowness <= AIO_FOLLOW_SLOWNESS);
  arm_cubics_apart(cubics, m->rows, m->t, m->q, slowness, NULL, apart);
  require(apart[0] <= AIO_FOLLOW_APART_R && apart[2] <= AIO_FOLLOW_APART_T);
  const double T = arm_cubics_duration(cubics);
  for (int k = 0; k <= 16; k++) {
    arm_cubics_at(cubics, T * k / 16.0, q, qd);
    for (int j = 0; j < 3; j++)
      require(fabs(q[j]) <= 3.0 + 1e-6 && (k % 16 || qd[j] == 0.0));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  const ArmMotionLimits limits = {.n = 3, .half = {{3, 3, 3}, {2, 2, 2}, {9, 9, 9}}};
  ArmModel arm;
  GError *error = NULL;
  double slowness = 1.0;
  require(arm_model_init(&arm, 3) == ARM_OK);
  arm.joints[2].type = ARM_JOINT_T;
  AioMotionTable *motion = aio_motion_load_bytes("fuzz", (const char *)bytes, length, &arm, &error);
  require((motion == NULL) == (error != NULL));
  if (motion) {
    check_whole(motion);
    check_round_trip(motion, &arm);
    ArmCubics *cubics = aio_motion_follow(motion, &arm, &limits, "the arm", AIO_FOLLOW_SEGMENT_S,
                                          &slowness, &error);
    require((cubics == NULL) == (error != NULL));
    if (cubics)
      check_followed(motion, &limits, cubics, slowness);
    arm_cubics_free(cubics);
  }
  require(!error || g_utf8_validate(error->message, -1, NULL));
  g_clear_error(&error);
  aio_motion_free(motion);
  return 0;
}
