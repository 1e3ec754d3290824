/* SPDX-License-Identifier: MIT */
/* Which plants are refused, and what the default is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/plant/plant.h"
#include "support/plant_rig.h"

enum { N = ARM_MAX_JOINTS };

static ArmModel model;
static ArmPlantConfig config;

static void check_near(const char *what, double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance))
    fail_msg("%s: got %.10g, expected %.10g within %g", what, got, want, tolerance);
}

#define REFUSED(change, want)                                                                      \
  do {                                                                                             \
    ArmStatus status_ = ARM_OK;                                                                    \
    const ArmPlantConfig kept_ = config;                                                           \
    change;                                                                                        \
    assert_null(arm_plant_new(&config, &status_));                                                 \
    assert_int_equal(status_, want);                                                               \
    config = kept_;                                                                                \
  } while (0)

static void test_configuration_refused(void **state) {
  const double nan = (double)NAN;
  (void)state;
  rig_puma(&model);
  assert_true(rig_puma_config(&model, 1, &config));
  REFUSED(config.joints[1].eta = 0, ARM_E_ARGUMENT);
  REFUSED(config.joints[1].eta = nan, ARM_E_NOT_FINITE);
  REFUSED(config.joints[1].coulomb_pos = -0.1, ARM_E_ARGUMENT);
  REFUSED(config.joints[1].coulomb_neg = 0.1, ARM_E_ARGUMENT);
  REFUSED(config.joints[2].viscous_pos = 0.1, ARM_E_ARGUMENT); /* eta < 0 */
  REFUSED(config.joints[1].viscous_neg = nan, ARM_E_NOT_FINITE);
  REFUSED(config.joints[0].break_away = -0.1, ARM_E_ARGUMENT);
  REFUSED(config.joints[0].stribeck_speed = 0, ARM_E_ARGUMENT);
  REFUSED(config.joints[0].bristle = -1e-4, ARM_E_ARGUMENT);
  REFUSED(config.joints[0].lag_s = -1, ARM_E_ARGUMENT);
  REFUSED(config.joints[5].current_max = 0, ARM_E_ARGUMENT);
  REFUSED(config.joints[5].current_max = nan, ARM_E_NOT_FINITE);
  REFUSED(config.joints[5].encoder = -1, ARM_E_ARGUMENT);
  REFUSED(config.joints[5].noise_sd = -1, ARM_E_ARGUMENT);
  REFUSED(config.joints[5].servo_inertia = 0, ARM_E_ARGUMENT);
  REFUSED(config.joints[3].stop_low = 1; config.joints[3].stop_high = 0, ARM_E_ARGUMENT);
  REFUSED(config.joints[3].stop_low = nan, ARM_E_NOT_FINITE);
  REFUSED(config.kind = ARM_PLANT_DIAGONAL; config.joints[3].inertia = 0, ARM_E_ARGUMENT);
  REFUSED(config.kind = (ArmPlantKind)7, ARM_E_ARGUMENT);
  REFUSED(config.substep_s = 0, ARM_E_ARGUMENT);
  REFUSED(config.substep_s = nan, ARM_E_NOT_FINITE);
  REFUSED(config.servo_s = 1.5e-4, ARM_E_ARGUMENT);
  REFUSED(config.servo_s = (double)INFINITY, ARM_E_NOT_FINITE);
  REFUSED(config.kp = -1, ARM_E_ARGUMENT);
  REFUSED(config.kd = 0, ARM_E_ARGUMENT);
  REFUSED(config.model.n = 0, ARM_E_ARGUMENT);
  REFUSED(config.model.n = N + 1, ARM_E_ARGUMENT);
  REFUSED(config.model.joints[2].offset = nan, ARM_E_NOT_FINITE);
  REFUSED(config.model.has_coupling = true; config.model.coupling[3][1] = nan, ARM_E_NOT_FINITE);
  REFUSED(for (size_t i = 0; i < 6; i++) config.model.joints[i].link.is_present = false;
          for (size_t i = 0; i < 6; i++) config.model.joints[i].n_motors = 0, ARM_E_ARGUMENT);
}

static void test_default_refused(void **state) {
  static ArmPlantConfig untouched;
  (void)state;
  memset(&config, 0x5a, sizeof config);
  memcpy(&untouched, &config, sizeof config);
  rig_puma(&model);
  model.joints[4].link.is_present = false;
  assert_int_equal(arm_plant_config_default(&config, &model, 0.3, 1), ARM_E_ARGUMENT);
  rig_puma(&model);
  model.joints[4].n_motors = 0;
  assert_int_equal(arm_plant_config_default(&config, &model, 0.3, 1), ARM_E_ARGUMENT);
  rig_puma(&model);
  assert_int_equal(arm_plant_config_default(&config, &model, 0, 1), ARM_E_ARGUMENT);
  assert_int_equal(arm_plant_config_default(&config, &model, (double)NAN, 1), ARM_E_ARGUMENT);
  model.joints[4].offset = (double)NAN;
  assert_int_equal(arm_plant_config_default(&config, &model, 0.3, 1), ARM_E_NOT_FINITE);
  assert_memory_equal(&config, &untouched, sizeof config);
}

/* Theory notes, section 8: the smallest inertias of the PUMA with its tool [A
 * s^2/rad]; random poses come near them. */
static void test_default_servo_inertia(void **state) {
  static const double want[6] = {.193, .249, .094, .039, .037, .041};
  (void)state;
  rig_puma(&model);
  rig_add_tool(&model);
  assert_int_equal(arm_plant_config_default(&config, &model, 0.3, 1), ARM_OK);
  for (size_t i = 0; i < 6; i++)
    check_near("inertia", config.joints[i].servo_inertia / 0.3, 1.02 * want[i], 0.04 * want[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_configuration_refused),
      cmocka_unit_test(test_default_refused),
      cmocka_unit_test(test_default_servo_inertia),
  };
  return cmocka_run_group_tests_name("plant_config", tests, NULL, NULL);
}
