/* SPDX-License-Identifier: MIT */
/* Any bytes as a parameter file of kind "dynamics" of an arm with a sliding joint: either one error
 * and nothing loaded, or parameters that predict and survive saving, byte for byte. */
#include <math.h>

#include "core/dynamics/currents.h"
#include "io/params/dynamics_file.h"

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

/* What every reader of the struct relies on. */
static void check(const AioDynamics *dynamics) {
  const ArmParamSet *set = &dynamics->found;
  g_assert_true(set->n_joints == 2 && set->n_groups <= 2 && set->is_of_motion);
  for (size_t k = 0; k < set->n; k++)
    g_assert_true(isfinite(set->estimate[k].used));
  for (size_t k = 0; k < set->n_covered; k++)
    g_assert_true(set->covariance[k * (set->n_covered + 1)] >= 0);
  g_assert_true(dynamics->gauge_joint >= -1 && dynamics->gauge_joint < 2);
  for (gsize i = 0; i < 2; i++) {
    g_assert_true(set->group[i] >= -1 && set->group[i] < (int)set->n_groups);
    g_assert_true(!dynamics->has_links || isfinite(dynamics->link[i].link.mass_kg));
  }
}

static void check_saved(const AioDynamics *dynamics, const ArmModel *model) {
  GError *error = NULL;
  gsize length, length_again;
  g_autofree char *text = aio_dynamics_format(dynamics, &length);
  g_autoptr(AioDynamics) again = aio_dynamics_load_bytes("saved", text, length, model, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(again->digest, ==, again->stated_digest);
  g_autofree char *text_again = aio_dynamics_format(again, &length_again);
  g_assert_cmpmem(text, length, text_again, length_again);
}

/* At rest, moving, and where nothing is known. */
static void check_predictions(const AioDynamics *dynamics, const ArmModel *model) {
  enum { STATES = 3, JOINTS = 2 };
  static const double q[STATES * JOINTS] = {0, 1, (double)NAN, 0, -0.3, 0};
  static const double rates[STATES * JOINTS] = {0, 2, 0, 0, -1, 0};
  const ArmCurrentsStates states = {STATES, STATES, q, rates, rates};
  const ArmPredictOptions options = {.wants_noise = true, .wants_stiction = true};
  double effort[STATES * JOINTS], sd[STATES * JOINTS];
  ArmCurrents *currents = NULL;
  g_assert_true(arm_currents_new(model, &dynamics->found, &currents) == ARM_OK);
  arm_currents_predict(currents, &states, &options, effort, sd);
  for (gsize k = 0; k < STATES * JOINTS; k++)
    g_assert_true(isnan(sd[k]) || sd[k] >= 0);
  g_assert_true(isnan(effort[STATES - 1]) && isnan(sd[STATES - 1]));
  arm_currents_torque(currents, &states, effort, sd);
  g_assert_true(isnan(effort[STATES - 1]) && isnan(sd[STATES - 1]));
  arm_currents_free(currents);
}

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  GError *error = NULL;
  g_autofree ArmModel *model = g_new0(ArmModel, 1);
  g_assert_true(arm_model_init(model, 2) == ARM_OK);
  model->joints[1].type = ARM_JOINT_T;
  g_autoptr(AioDynamics) dynamics =
      aio_dynamics_load_bytes("fuzz", (const char *)data, size, model, &error);
  g_assert_true((dynamics == NULL) == (error != NULL));
  if (dynamics) {
    check(dynamics);
    check_predictions(dynamics, model);
    check_saved(dynamics, model);
    return 0;
  }
  g_assert_true(error->domain == AIO_ERROR && *error->message);
  g_assert_true(g_utf8_validate(error->message, -1, NULL));
  g_error_free(error);
  return 0;
}
