/* SPDX-License-Identifier: MIT */
/* Identification against the golden cases: every parameter, ratio, cluster, rank and condition
 * number, and the currents at poses that were not in the data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/arm/structure.h"
#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"
#include "support/golden.h"
#include "support/support.h"

static void check_near(const char *what, size_t joint, double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance)) {
    print_error("%s of joint %zu: got %.17g, expected %.17g +- %g\n", what, joint + 1, got, want,
                tolerance);
    fail();
  }
}

static void check_joints(const Golden *golden, const ArmGravityParameters *p) {
  for (size_t i = 0; i < golden->n; i++) {
    const ArmJointFit *joint = &p->joint[i];
    const GoldenExpect *want = &golden->expect[i];
    const bool is_translational = golden->model.joints[i].type == ARM_JOINT_T;
    for (size_t a = 0; a < (is_translational ? 1 : 2); a++) {
      assert_int_equal(joint->w[a].identifiable, want->has_gravity);
      if (want->has_gravity)
        check_near(is_translational ? "mhat*" : "k*", i, joint->w[a].value, want->w[a],
                   is_translational ? golden->tol_mhat : golden->tol_k);
    }
    for (size_t f = 0; f < 4; f++) {
      assert_true(joint->friction[f].identifiable);
      check_near("friction", i, joint->friction[f].value, want->friction[f], golden->tol_friction);
    }
    assert_int_equal(joint->rank, golden->rank[i]);
    check_near("cond_raw", i, joint->cond_raw, golden->cond_raw[i], 2e-3 * golden->cond_raw[i]);
    check_near("cond_equilibrated", i, joint->cond_equilibrated, golden->cond_equilibrated[i],
               2e-3 * golden->cond_equilibrated[i]);
  }
}

static void check_ratios(const Golden *golden, const ArmGravityParameters *p) {
  for (size_t k = 0; k < golden->n_ratios; k++) {
    const GoldenRatio *want = &golden->ratios[k];
    const ArmEstimate *got = &p->ratio[want->i][want->j];
    const bool is_last = want->j + 1 == golden->n && want->i + 2 == golden->n;
    const double rel = is_last ? golden->tol_last_ratio_rel : golden->tol_ratio_rel;
    assert_true(got->identifiable);
    check_near("ratio", want->i, got->value, want->value, rel * fabs(want->value));
  }
  assert_int_equal(p->n_clusters, golden->n_clusters);
  for (size_t i = 0; i < golden->n; i++)
    for (size_t j = i + 1; j < golden->n; j++)
      assert_int_equal(p->cluster[i] >= 0 && p->cluster[i] == p->cluster[j],
                       golden->cluster[i] >= 0 && golden->cluster[i] == golden->cluster[j]);
}

static void check_predictions(const Golden *golden, const ArmGravityParameters *p) {
  const ArmPredictOptions options = {0};
  double current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  assert_true(golden->n_predictions > 0);
  for (size_t k = 0; k < golden->n_predictions; k++) {
    const GoldenPrediction *want = &golden->predictions[k];
    assert_int_equal(arm_predict(&golden->model, p, want->q, want->qd, NULL, &options, current, sd),
                     ARM_OK);
    for (size_t i = 0; i < golden->n; i++) {
      check_near("prediction", i, current[i], want->current[i], golden->tol_prediction);
      assert_true(sd[i] >= 0.0 && sd[i] < 1e-6);
    }
  }
}

static void test_golden_cases(void **state) {
  (void)state;
  for (size_t k = 0; golden_names[k]; k++) {
    Golden *golden = golden_load(golden_names[k]);
    GoldenDataset set;
    ArmFitOptions options;
    ArmGravityFit fit;
    assert_non_null(golden);
    if (golden->n_sweeps == 0) {
      golden_free(golden);
      continue;
    }
    print_message("# %s\n", golden->name);
    assert_true(golden_dataset_init(&set, golden));
    arm_fit_options_default(&options);
    assert_int_equal(arm_gravity_fit(&golden->model, &set.data, &options, &fit), ARM_OK);
    check_joints(golden, &fit.recursive);
    check_ratios(golden, &fit.recursive);
    check_predictions(golden, &fit.recursive);
    check_joints(golden, &fit.refined);
    check_ratios(golden, &fit.refined);
    check_predictions(golden, &fit.refined);
    assert_true(fit.is_converged);
    arm_gravity_fit_clear(&fit);
    golden_dataset_clear(&set);
    golden_free(golden);
  }
}

/* Sweeps at constant speed recorded without a pause: speed, hold and position jump from one row to
 * the next, which is no acceleration. */
static void test_no_acceleration_across_sweeps(void **state) {
  (void)state;
  Golden *golden = golden_load("stanford");
  GoldenDataset set;
  ArmFitOptions options;
  ArmGravityFit fit;
  assert_non_null(golden);
  assert_true(golden_dataset_init(&set, golden));
  double *t = calloc(set.data.rows, sizeof *t);
  assert_non_null(t);
  for (size_t r = 0; r < set.data.rows; r++)
    t[r] = 0.01 * (double)r;
  set.data.t = t;
  arm_fit_options_default(&options);
  options.rows.wants_acceleration = true;
  assert_int_equal(arm_gravity_fit(&golden->model, &set.data, &options, &fit), ARM_OK);
  for (size_t i = 0; i < golden->n; i++) {
    assert_int_equal(fit.refined.joint[i].acceleration.reason, ARM_REASON_NO_ACCELERATION);
    assert_int_equal(fit.refined.joint[i].rows_used,
                     fit.refined.joint[i].rows_by_use[ARM_ROW_USED]);
    assert_true(fit.refined.joint[i].friction[0].identifiable);
  }
  arm_gravity_fit_clear(&fit);
  free(t);
  golden_dataset_clear(&set);
  golden_free(golden);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_cases),
                                     cmocka_unit_test(test_no_acceleration_across_sweeps)};
  return cmocka_run_group_tests_name("ident", tests, NULL, NULL);
}
