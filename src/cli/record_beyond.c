/* SPDX-License-Identifier: MIT */
#include "cli/record_beyond.h"

#include <math.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "io/arm/excitation_text.h"

/* Beyond is more than a step of a joint's encoder may lie outside of where the joint is [rad, m];
 * and of speeds, which are differences of such steps and swing about what was commanded, more than
 * this part of the limit: a motion may use all of it. */
static const double least_position = 1e-4, least_speed = 0.02;

typedef struct {
  ArmJointType type;
  ArmMotionQuantity quantity;
  double value, limit;
} Beyond;

static bool is_beyond(const ArmJoint *joint, const AseReach *reach, ArmMotionQuantity quantity,
                      Beyond *beyond) {
  const ArmLimits *limits = &joint->limits;
  *beyond = (Beyond){joint->type, quantity, reach->fastest, limits->speed_max};
  if (quantity == ARM_MOTION_SPEED)
    return reach->fastest > (1 + least_speed) * limits->speed_max;
  const bool is_low = limits->q_min - reach->lowest > reach->highest - limits->q_max;
  beyond->value = is_low ? reach->lowest : reach->highest;
  beyond->limit = is_low ? limits->q_min : limits->q_max;
  return (is_low ? beyond->limit - beyond->value : beyond->value - beyond->limit) > least_position;
}

typedef void BeyondFunc(gsize joint, const Beyond *beyond, double apart, void *data);

static void each(AseSession *session, BeyondFunc *func, void *data) {
  const AseRecordingState *state = ase_session_record_state(session);
  const AioArm *arm = ase_session_arm(session);
  Beyond beyond;
  for (gsize j = 0; arm && state->samples > 0 && j < arm->model.n; j++)
    for (ArmMotionQuantity k = ARM_MOTION_POSITION; k <= ARM_MOTION_SPEED; k++)
      if (is_beyond(&arm->model.joints[j], &state->reach[j], k, &beyond))
        func(j, &beyond, state->apart[j], data);
}

/* "102.9 deg", "0.31 m/s"; g_free. */
static char *words(const Beyond *beyond, double value) {
  const bool is_turned = beyond->type == ARM_JOINT_R;
  g_autofree char *number = cli_format_number(is_turned ? 180 / G_PI * value : value, 4);
  const char *unit = is_turned ? "deg" : "m";
  return g_strdup_printf("%s %s%s", number, unit, beyond->quantity == ARM_MOTION_SPEED ? "/s" : "");
}

static void warn(gsize joint, const Beyond *beyond, double apart, void *data) {
  const Beyond off = {beyond->type, ARM_MOTION_POSITION, apart, 0};
  g_autofree char *value = words(beyond, beyond->value), *limit = words(beyond, beyond->limit);
  g_autofree char *far = words(&off, apart);
  (void)data;
  cli_warning(
      "joint %d: its measured %s went to %s, beyond the limit of %s in the arm file: the "
      "arm followed the motion, which is within, up to %s off; leave it room: a slower motion, or "
      "one that is designed for narrower limits",
      (int)joint + 1, aio_motion_quantity(beyond->quantity), value, limit, far);
}

void cli_record_beyond_warn(AseSession *session) {
  each(session, warn, NULL);
}

static void put(gsize joint, const Beyond *beyond, double apart, void *data) {
  AioJsonWriter *w = data;
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "joint", (gint64)joint + 1);
  aio_json_put_string(w, "quantity", aio_motion_quantity(beyond->quantity));
  aio_json_put_number(w, "value", beyond->value);
  aio_json_put_number(w, "limit", beyond->limit);
  aio_json_put_number(w, "apart", apart);
  aio_json_write_end_object(w);
}

void cli_record_beyond_write(AioJsonWriter *w, AseSession *session) {
  aio_json_write_begin_array(w);
  each(session, put, w);
  aio_json_write_end_array(w);
}
