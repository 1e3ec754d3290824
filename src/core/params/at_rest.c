/* SPDX-License-Identifier: MIT */
#include "core/params/at_rest.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define BREAK_AWAY 1.25 /* over Coulomb friction: Armature theory notes, lack of fit, section 8 */

void arm_friction_weights(const ArmPredictOptions *options, double v, double position_error,
                          double weight[4]) {
  const bool is_deadband = options->zero_speed == ARM_ZERO_SPEED_DEADBAND;
  memset(weight, 0, 4 * sizeof *weight);
  if (is_deadband && fabs(v) < options->deadband) {
    const size_t side = v < 0.0 ? 2 : 0;
    weight[side] = fabs(v) / options->deadband;
    weight[side + 1] = v;
  } else if (v != 0.0) {
    const size_t side = v > 0.0 ? 0 : 2;
    weight[side] = 1.0;
    weight[side + 1] = v;
  } else if (options->zero_speed == ARM_ZERO_SPEED_SIGN_ERROR) {
    weight[0] = position_error > 0.0 ? 1.0 : 0.0;
    weight[2] = position_error < 0.0 ? 1.0 : 0.0;
  } else if (options->zero_speed == ARM_ZERO_SPEED_BAND) {
    weight[0] = weight[2] = 0.5;
  }
}

double arm_friction_band_variance(double forth, double back, double more, const double weight[4]) {
  const double half = BREAK_AWAY * fabs(forth - back + 2.0 * more) / 2.0;
  const double off =
      (0.5 - weight[0]) * forth + (0.5 - weight[2]) * back - (weight[0] - weight[2]) * more;
  return half * half / 3.0 + off * off;
}
