/* SPDX-License-Identifier: MIT */
/* Joints that rest while others move: what only they would tell is no number, and the rest is what
 * it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "identify_puma.h"

enum { FIRST = 1, WRIST = 0x38 }; /* joints that rest, a bit each */
enum { MOST = 30 };               /* [kg m^2], [kg m]: the arm's largest is 4 */

/* A motion in which some joints rest, but for a flicker of positions' rates of sd `flicker` [rad/s,
 * and tenfold rad/s^2]. */
static void still_rows(const Rig *rig, uint64_t seed, unsigned held, double flicker,
                       DynRows *rows) {
  TestRng rng;
  DynMotion motion;
  test_rng_init(&rng, seed);
  dyn_motion_fourier(&rng, &rig->model, SAMPLES, 20, 5, &motion);
  for (size_t k = 0; k < rig->model.n * SAMPLES; k++) {
    if (!(held >> k / SAMPLES & 1))
      continue;
    motion.q[k] = 0.3;
    motion.qd[k] = flicker * test_rng_normal(&rng);
    motion.qdd[k] = 10 * flicker * test_rng_normal(&rng);
  }
  dyn_rows_init(&rig->model, rig->base, &motion, rows);
  dyn_motion_clear(&motion);
}

/* The encoders flicker, the arm does not; joints that rest have no rows. */
static ArmDynamicsFit *identify_held(Rig *rig, uint64_t seed, unsigned held, double flicker,
                                     const ArmDynamicsOptions *options) {
  ArmDynamicsFit *fit = NULL;
  DynRows seen;
  dyn_rows_clear(&rig->rows);
  still_rows(rig, seed, held, 0, &rig->rows);
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  disturb(rig, seed + 1, 0.02);
  still_rows(rig, seed, held, flicker, &seen);
  for (size_t j = 0; j < 6; j++)
    memcpy(rig->rows.rows[j], seen.rows[j], (seen.columns - 1) * SAMPLES * sizeof(double));
  dyn_rows_clear(&seen);
  for (size_t j = 0; j < 6; j++)
    if (!(held >> j & 1))
      assert_int_equal(
          arm_information_push(rig->information, j, rig->rows.rows[j], SAMPLES, SAMPLES), ARM_OK);
  assert_int_equal(arm_dynamics_identify(rig->information, rig->joint, options, &fit), ARM_OK);
  return fit;
}

/* Every number holds, and none is wild. The base parameters that are told. */
static size_t check_fit(const Rig *rig, const ArmDynamicsFit *fit) {
  size_t told = 0;
  assert_true(fit->has_converged);
  for (size_t b = 0; b < fit->count; b++) {
    const ArmEstimate *e = &fit->base[b];
    if (e->identifiable && !(fabs(e->value - rig->beta[b]) <= 5 * e->sd))
      fail_msg("%zu: %.6g +- %.3g, expected %.6g", b, e->value, e->sd, rig->beta[b]);
    if (!(fabs(e->used) < MOST && !(e->sd > MOST)))
      fail_msg("%zu: %.6g +- %.3g", b, e->used, e->sd);
    if (!e->identifiable)
      assert_true(e->reason == ARM_REASON_MOTION_TOO_SIMPLE || e->reason == ARM_REASON_NO_ROWS);
    told += e->identifiable;
  }
  return told;
}

static void test_joints_at_rest(void **unused) {
  static const unsigned held[] = {FIRST, FIRST | 4, 6, WRIST, 0x15, 0x3e};
  static const double flicker[] = {0, 1e-13, 1e-9, 1e-6, 1e-4, 1e-3};
  (void)unused;
  for (size_t h = 0; h < sizeof held / sizeof held[0]; h++)
    for (size_t f = 0; f < sizeof flicker / sizeof flicker[0]; f++) {
      Rig rig;
      puma(&rig, 40 + h, true);
      state(&rig);
      ArmDynamicsFit *fit = identify_held(&rig, 50 + h, held[h], flicker[f], NULL);
      const size_t told = check_fit(&rig, fit);
      print_message("# held %x, flicker %g: %zu of %zu told\n", held[h], flicker[f], told,
                    fit->count);
      assert_true(told < fit->count);
      arm_dynamics_fit_free(fit);
      rig_clear(&rig);
    }
}

/* Torques, both ways: what they tell is the same. */
static void test_joint_by_joint(void **unused) {
  static const unsigned held[] = {FIRST, 6, WRIST};
  static const double flicker[] = {0, 1e-13, 1e-9, 1e-6, 1e-4};
  (void)unused;
  for (size_t h = 0; h < sizeof held / sizeof held[0]; h++)
    for (size_t f = 0; f < sizeof flicker / sizeof flicker[0]; f++) {
      size_t told[2];
      for (int way = 0; way < 2; way++) {
        ArmDynamicsOptions options = arm_dynamics_defaults;
        Rig rig;
        puma(&rig, 60 + h, true);
        for (size_t j = 0; j < 6; j++) {
          rig.drives.eta[j] = 1;
          rig.joint[j].is_torque = true;
        }
        options.way = way ? ARM_DYNAMICS_SEQUENTIAL : ARM_DYNAMICS_BATCH;
        ArmDynamicsFit *fit = identify_held(&rig, 70 + h, held[h], flicker[f], &options);
        told[way] = check_fit(&rig, fit);
        arm_dynamics_fit_free(fit);
        rig_clear(&rig);
      }
      print_message("# held %x, flicker %g: %zu at once, %zu joint by joint\n", held[h], flicker[f],
                    told[0], told[1]);
      assert_true(told[0] == told[1] || flicker[f] > 1e-6);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_at_rest),
      cmocka_unit_test(test_joint_by_joint),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
