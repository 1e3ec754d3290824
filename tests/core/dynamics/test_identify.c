/* SPDX-License-Identifier: MIT */
/* Identification from currents without noise: groups by the table of the theory notes, exact
 * ratios, exact currents of other motions; then what cannot be told, and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <lapacke.h>

#include "identify_rig.h"
#include "support/dyn_random.h"

static double prediction_error(const Rig *rig, const ArmDynamicsFit *fit, TestRng *rng) {
  return dyn_rows_unseen(&rig->model, rig->base, rig->beta, &rig->drives, fit, rng);
}

/* ---- noise-free ---- */

/* Joints that share a scale, full dynamics: vectors/dyn/eta_identifiability.json of the theory
 * notes, one digit a joint. Arms that are not listed are one group. */
static const struct {
  const char *arm, *groups;
} table[] = {{"SCARA_RRTR_g//z1", "0010"},
             {"SCARA_RRTR_g_perp_(wall)", "0010"},
             {"SCARA_RRRT_(ball_screw)_g//z1", "0001"},
             {"TTT_gantry", "012"}};

static int expected_group(const char *arm, size_t joint) {
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (strcmp(table[k].arm, arm) == 0)
      return table[k].groups[joint] - '0';
  return 0;
}

static void check_groups(const BaseCase *c, const Rig *rig, const ArmDynamicsFit *fit) {
  for (size_t j = 0; j < fit->n; j++) {
    const ArmDynamicsJointFit *joint = &fit->joint[j];
    size_t first = 0, size = 0;
    if (fit->group[j] != expected_group(c->name, j))
      fail_msg("%s: joint %zu is in group %d", c->name, j + 1, fit->group[j]);
    while (fit->group[first] != fit->group[j])
      first++;
    for (size_t k = 0; k < fit->n; k++)
      size += fit->group[k] == fit->group[j];
    assert_int_equal(joint->to_first.identifiable, size > 1);
    if (size == 1) {
      assert_int_equal(joint->to_first.reason, ARM_REASON_OTHER_CLUSTER);
      continue;
    }
    const double want = rig->drives.eta[j] / rig->drives.eta[first];
    if (!test_is_near(joint->to_first.value, want, 1e-9, 0))
      fail_msg("%s: ratio of joint %zu is %.12g, expected %.12g", c->name, j + 1,
               joint->to_first.value, want);
  }
}

static void test_groups_of_known_arms(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17));
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    Rig rig;
    rig_init(&rig, &c->model, &rng, 300);
    ArmDynamicsFit *fit = identify(&rig, NULL);
    check_groups(c, &rig, fit);
    assert_true(fit->has_converged);
    const double error = prediction_error(&rig, fit, &rng);
    if (!(error < 1e-9))
      fail_msg("%s: other motions are predicted to %.3g", c->name, error);
    arm_dynamics_fit_free(fit);
    rig_clear(&rig);
  }
}

/* ---- random arms, groups from singular vectors ---- */

enum { KAPPA_ROWS = 200 };

/* d currents / d (beta, local, log eta) at the truth, columns of unit length; returns how many. */
static size_t derivative(const Rig *rig, double *jacobian) {
  const DynRows *rows = &rig->rows;
  const size_t n = rows->n, m = n * KAPPA_ROWS;
  size_t columns = rows->count;
  for (size_t j = 0; j < n; j++)
    for (size_t s = 0; s < KAPPA_ROWS; s++) {
      const size_t at = s + j * KAPPA_ROWS;
      for (size_t b = 0; b < rows->count; b++)
        jacobian[at + b * m] =
            rig->drives.eta[j] * rows->rows[j][s + (ARM_DYN_LOCAL + b) * rows->samples];
    }
  for (size_t j = 0; j < n; j++)
    for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
      if (rig->joint[j].has[l])
        memcpy(jacobian + j * KAPPA_ROWS + m * columns++, rows->rows[j] + l * rows->samples,
               KAPPA_ROWS * sizeof(double));
  for (size_t j = 0; j < n; j++, columns++)
    for (size_t at = j * KAPPA_ROWS; at < (j + 1) * KAPPA_ROWS; at++)
      for (size_t b = 0; b < rows->count; b++)
        jacobian[at + columns * m] += jacobian[at + b * m] * rig->beta[b];
  for (size_t c = 0; c < columns; c++) {
    double sum = 0;
    for (size_t i = 0; i < m; i++)
      sum += jacobian[i + c * m] * jacobian[i + c * m];
    for (size_t i = 0; i < m && sum > 0; i++)
      jacobian[i + c * m] /= sqrt(sum);
  }
  return columns;
}

/* Joints whose log eta moves alike in each null vector share a scale: reference[j] is the first of
 * joint j's. */
static void groups_by_null_space(const Rig *rig, size_t *reference) {
  const size_t n = rig->rows.n, m = n * KAPPA_ROWS;
  const size_t most = rig->rows.count + (ARM_DYN_LOCAL + 1) * n;
  double *jacobian = calloc(m * most, sizeof *jacobian), *vt = calloc(most * most, sizeof *vt);
  double *sigma = calloc(most, sizeof *sigma), *super = calloc(most, sizeof *super), none;
  double length[BASE_JOINTS];
  assert_true(jacobian && vt && sigma && super);
  const size_t columns = derivative(rig, jacobian);
  for (size_t j = 0; j < n; j++) { /* of log eta's column, before it was scaled */
    length[j] = 0;
    for (size_t s = 0; s < KAPPA_ROWS; s++) {
      double load = 0;
      for (size_t b = 0; b < rig->rows.count; b++)
        load += rig->drives.eta[j] * rig->beta[b] *
                rig->rows.rows[j][s + (ARM_DYN_LOCAL + b) * rig->rows.samples];
      length[j] += load * load;
    }
    length[j] = sqrt(length[j]);
  }
  assert_int_equal(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', (int)m, (int)columns, jacobian,
                                  (int)m, sigma, &none, 1, vt, (int)columns, super),
                   0);
  for (size_t j = 0; j < n; j++)
    for (reference[j] = 0; reference[j] < j; reference[j]++) {
      double apart = 0;
      for (size_t k = 0; k < columns; k++) {
        const double *row = vt + k, other = row[(columns - n + reference[j]) * columns];
        if (sigma[k] < 1e-10 * sigma[0])
          apart = fmax(apart, fabs(row[(columns - n + j) * columns] / length[j] -
                                   other / length[reference[j]]) *
                                  fmin(length[j], length[reference[j]]));
      }
      if (apart < 1e-6)
        break;
    }
  free(jacobian);
  free(vt);
  free(sigma);
  free(super);
}

static void check_random_arm(TestRng *rng, size_t arm) {
  const size_t n = 2 + test_rng_below(rng, 6);
  ArmModel random, model; /* nominal: what is snapped would be missing (core/dynamics/base.h) */
  Rig rig;
  size_t reference[BASE_JOINTS];
  dyn_random_arm(rng, n, &random);
  (void)arm_nominal(&random, &model, NULL);
  rig_init(&rig, &model, rng, KAPPA_ROWS);
  groups_by_null_space(&rig, reference);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  for (size_t j = 0; j < n; j++) {
    if (fit->group[j] != fit->group[reference[j]])
      fail_msg("arm %zu: joint %zu is in group %d, joint %zu in %d", arm, j + 1, fit->group[j],
               reference[j] + 1, fit->group[reference[j]]);
  }
  size_t groups = 0;
  for (size_t j = 0; j < n; j++)
    groups += reference[j] == j;
  assert_int_equal(fit->n_groups, groups);
  const double error = prediction_error(&rig, fit, rng);
  if (!(error < 1e-9))
    fail_msg("arm %zu: other motions are predicted to %.3g", arm, error);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_groups_of_random_arms(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(58));
  for (size_t arm = 0; arm < 58; arm++)
    check_random_arm(&rng, arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups_of_known_arms),
      cmocka_unit_test(test_groups_of_random_arms),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
